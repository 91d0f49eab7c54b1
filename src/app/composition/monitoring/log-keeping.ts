import { join } from 'node:path';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import { createLogKeeper, keepingLogs, type LogKeeper } from '../../../features/log-archive/log-archive.ts';
import type { Settings } from '../../../features/settings/settings.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Config } from '../../config/config.ts';

/** Keeps logs in the data directory, and puts it between the manager and its runtimes: they remove logs with their units. */
export function composeLogKeeping(
  {
    config,
    runtime,
    origin,
    logger,
  }: { config: Config; runtime: Runtime; origin?: Runtime | undefined; logger: Logger },
  settings: Pick<Settings, 'read'>,
): { keeper: LogKeeper; runtime: Runtime; origin: Runtime | undefined } {
  const keeper = createLogKeeper({
    directory: join(config.DATA_DIR, 'logs'),
    logger,
    keepBytes: async () => (await settings.read('log_retention_mb')) * 1024 ** 2,
  });
  return { keeper, runtime: keepingLogs(runtime, keeper), origin: origin && keepingLogs(origin, keeper) };
}
