import { join } from 'node:path';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import { createTenantApi, type TenantApi } from '../../../adapters/tenant-api/tenant-api.ts';
import { createLogKeeper, keepingLogs, type LogKeeper } from '../../../features/log-archive/log-archive.ts';
import type { Settings } from '../../../features/settings/settings.ts';
import { createMasking, type TenantConfigs } from '../../../features/tenant-config/tenant-config.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Config } from '../../config/config.ts';

/**
 * Keeps logs in the data directory, and puts it between the manager and its runtimes: they remove logs with their units. What comes
 * from the runtimes holds no secrets of tenants, kept logs included.
 */
export function composeLogKeeping(
  {
    config,
    runtime,
    origin,
    logger,
  }: { config: Config; runtime: Runtime; origin?: Runtime | undefined; logger: Logger },
  settings: Pick<Settings, 'read'>,
  { maskOf }: Pick<TenantConfigs, 'maskOf'>,
): { keeper: LogKeeper; runtime: Runtime; origin: Runtime | undefined; tenantApi: TenantApi } {
  const keeper = createLogKeeper({
    directory: join(config.DATA_DIR, 'logs'),
    logger,
    keepBytes: async () => (await settings.read('log_retention_mb')) * 1024 ** 2,
  });
  const masking = createMasking(maskOf);
  const between = (adapter: Runtime): Runtime => keepingLogs(masking.runtime(adapter), keeper);
  return {
    keeper,
    runtime: between(runtime),
    origin: origin && between(origin),
    tenantApi: masking.tenantApi(createTenantApi()),
  };
}
