import type { DeploymentsDeps } from '../../features/deployments/operation.ts';
import type { SettingService } from '../../features/settings/service.ts';

/** The resource limits of each unit, from the settings. */
export const unitLimits =
  ({ read }: Pick<SettingService, 'read'>) =>
  async () => ({
    memoryMb: await read('unit_memory_mb'),
    cpus: await read('unit_cpus'),
    pids: await read('unit_pids'),
  });

/** The settings that deployments follow. */
export const deploymentSettings = (settings: Pick<SettingService, 'read'>): DeploymentsDeps['settings'] => ({
  limits: unitLimits(settings),
  releaseRetention: () => settings.read('release_retention'),
  minimumFreeBytes: async () => (await settings.read('min_free_disk_mb')) * 1024 ** 2,
});
