import type { SettingService } from '../../features/settings/service.ts';

/** The resource limits of each unit, from the settings. */
export const unitLimits =
  ({ read }: Pick<SettingService, 'read'>) =>
  async () => ({
    memoryMb: await read('unit_memory_mb'),
    cpus: await read('unit_cpus'),
    pids: await read('unit_pids'),
  });
