import { join } from 'node:path';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import { needsLease, type Store } from '../../adapters/store/store.ts';
import type { Logger } from '../../lib/logger.ts';
import { chooseOrigin, chooseRuntime } from '../composition/adapters/choose-runtime.ts';
import type { Config } from '../config/config.ts';
import { type DataDirectory, openDataDirectory } from '../config/data-directory.ts';
import type { HostEnvironment } from '../config/host-environment.ts';
import { assertSameKey, checkSecretKey } from '../config/secret-key.ts';
import { instanceId } from '../config/store-facts.ts';
import { storeProblem } from '../http/store-problem.ts';
import { openManagerStore } from './manager-store.ts';

export interface OpenParts {
  directory: DataDirectory;
  store: Store;
  instance: string;
  runtime: Runtime;
  origin: Runtime | undefined;
  /** Whether another manager waits to take over; undefined where none is expected. */
  hasStandby(): Promise<boolean | undefined>;
  /** Closes the store, and lets the next manager have it and the data directory. */
  close(): Promise<void>;
}

/**
 * Takes the store and the data directory for this manager alone, and chooses the runtime, after they were found to belong together.
 * On MySQL and MariaDB it first takes the lease; a standby waits for that here.
 * @throws ConfigError where they don't, and where the store can't be opened; everything is released then
 */
export async function openParts(options: {
  config: Config;
  host: HostEnvironment;
  logger: Logger;
  version: string;
  /** Clear what another key encrypted, instead of ending the start. */
  forgetSecrets: boolean;
}): Promise<OpenParts> {
  const { config, host, logger, version, forgetSecrets } = options;
  const url = config.DATABASE_URL ?? `sqlite:${join(config.DATA_DIR, 'tenantry.db')}`;
  const checkKey = (value: string | undefined): void => assertSameKey(config.SECRET_KEY, value);
  const lease = needsLease(url)
    ? await (await import('./held-lease.ts')).holdLease({ config, url, version, logger, checkKey })
    : undefined;
  let directory: DataDirectory | undefined;
  let store: Store | undefined;
  const close = async (): Promise<void> => {
    await directory?.release();
    await lease?.giveBack();
    await store?.close();
  };
  try {
    directory = await openDataDirectory(config.DATA_DIR, config.SECRET_KEY, lease);
    store = await openManagerStore(url, logger, lease).catch((error: unknown) => {
      throw storeProblem(error);
    });
    const forgotten: string[] = [];
    await checkSecretKey({ store, directory, forget: forgetSecrets, onSecretsLost: (lost) => forgotten.push(lost) });
    if (forgotten.length > 0) console.log(['Cleared, as the key is lost:', ...forgotten].join('\n  '));
    const instance = await instanceId(store);
    const place = { config, instance, host, logger };
    const [runtime, origin] = [await chooseRuntime(place), await chooseOrigin(place)];
    return { directory, store, instance, runtime, origin, hasStandby: async () => lease?.hasStandby(), close };
  } catch (error) {
    await close();
    throw error;
  }
}
