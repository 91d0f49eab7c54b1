import { openS3 } from '../../adapters/object-store/s3.ts';
import type { BackupsDeps } from '../../features/backups/backups.ts';
import type { SettingService } from '../../features/settings/service.ts';

/** The settings that backups follow. */
export const backupSettings = ({ read }: Pick<SettingService, 'read'>): BackupsDeps['settings'] => ({
  defaultCron: () => read('backup_schedule'),
  defaultKeep: async () => ({
    last: await read('backup_keep_last'),
    daily: await read('backup_keep_daily'),
    weekly: await read('backup_keep_weekly'),
    monthly: await read('backup_keep_monthly'),
  }),
  drillDays: () => read('restore_drill_days'),
  keptOfOwnKinds: () => read('backup_keep_safety'),
  lossPercent: () => read('backup_loss_percent'),
  limits: async () => ({ hours: await read('backup_max_hours'), gigabytes: await read('backup_max_gb') }),
});

/** The bucket that the settings name. */
export const offsite = ({ read }: Pick<SettingService, 'read'>): BackupsDeps['offsite'] => ({
  async destination() {
    const bucket = await read('backup_s3_bucket');
    if (bucket === '') return null;
    const location = {
      bucket,
      endpoint: await read('backup_s3_endpoint'),
      region: (await read('backup_s3_region')) || 'us-east-1',
    };
    return { location, prefix: await read('backup_s3_prefix') };
  },
  async open(location) {
    const keys = { accessKey: await read('backup_s3_access_key'), secretKey: await read('backup_s3_secret_key') };
    if (keys.accessKey === '' || keys.secretKey === '')
      throw new Error('The settings backup_s3_access_key and backup_s3_secret_key are not both set');
    return openS3(location, keys);
  },
});
