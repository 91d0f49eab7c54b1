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
  stepTimeoutSeconds: () => settings.read('deployment_timeout'),
  buildCacheBytes: async () => (await settings.read('build_cache_gb')) * 1e9,
  minimumFreeBytes: async () => (await settings.read('min_free_disk_mb')) * 1024 ** 2,
});

/** Seconds that units may take to become healthy where tenant.yaml says nothing. */
const usualStartTimeout = 120;

/** How long the units of a release may take, in ms; the same for all releases where it is given (tests). */
export const startTimeoutMs =
  (forAll: number | undefined): DeploymentsDeps['healthTimeoutMs'] =>
  ({ startTimeout = usualStartTimeout }) =>
    forAll ?? startTimeout * 1_000;
