import { join } from 'node:path';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import { openStore, type Store } from '../../adapters/store/store.ts';
import { sealPlaintextCustomEnv } from '../../features/tenant-config/sealed-custom-env.ts';
import type { Logger } from '../../lib/logger.ts';
import { createSecretBox } from '../../lib/secret-box.ts';
import { chooseOrigin, chooseRuntime } from '../composition/adapters/choose-runtime.ts';
import type { Config } from '../config/config.ts';
import type { DataDirectory } from '../config/data-directory.ts';
import type { HostEnvironment } from '../config/host-environment.ts';
import { checkSecretKey } from '../config/secret-key.ts';
import { storeProblem } from '../http/store-problem.ts';

/**
 * Opens the store and chooses the runtime, after both were found to belong to this data directory.
 * @throws ConfigError where they don't, and where the store can't be opened; the data directory is released then
 */
export async function openParts(options: {
  config: Config;
  directory: DataDirectory;
  host: HostEnvironment;
  logger: Logger;
  /** Clear what another key encrypted, instead of ending the start. */
  forgetSecrets: boolean;
}): Promise<{ store: Store; runtime: Runtime; origin: Runtime | undefined }> {
  const { config, directory, host, logger, forgetSecrets } = options;
  let store: Store | undefined;
  try {
    const url = config.DATABASE_URL ?? `sqlite:${join(directory.path, 'tenantry.db')}`;
    store = await openStore(url, logger).catch((error: unknown) => {
      throw storeProblem(error);
    });
    const forgotten: string[] = [];
    await checkSecretKey({ store, directory, forget: forgetSecrets, onSecretsLost: (lost) => forgotten.push(lost) });
    if (forgotten.length > 0) console.log(['Cleared, as the key is lost:', ...forgotten].join('\n  '));
    await sealPlaintextCustomEnv(store, createSecretBox(directory.secretKey));
    const place = { config, instance: directory.instance, host, logger };
    return { store, runtime: await chooseRuntime(place), origin: await chooseOrigin(place) };
  } catch (error) {
    await store?.close();
    await directory.release();
    throw error;
  }
}
