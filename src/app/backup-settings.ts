import type { BackupDependencies } from '../features/backups/dependencies.ts';
import type { SettingService } from '../features/settings/service.ts';

/** The settings that backups follow. */
export const backupSettings = ({ read }: Pick<SettingService, 'read'>): BackupDependencies['settings'] => ({
  defaultCron: () => read('backup_schedule'),
  defaultKeep: async () => ({
    last: await read('backup_keep_last'),
    daily: await read('backup_keep_daily'),
    weekly: await read('backup_keep_weekly'),
    monthly: await read('backup_keep_monthly'),
  }),
  keptOfOwnKinds: () => read('backup_keep_safety'),
});
