import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeCutOffWrites, writeFileAtomic } from '../kernel/atomic-file.ts';
import { holdFileLock } from '../kernel/file-lock.ts';
import { newSecret } from '../kernel/ids.ts';
import { ConfigError } from './config.ts';

export interface DataDirectory {
  path: string;
  /** Names this manager to the engine: what it made bears this label. */
  instance: string;
  secretKey: string;
  release(): Promise<void>;
}

/**
 * Takes hold of the data directory: makes it (0700), refuses it while another manager holds it, and reads the instance
 * id and the secret key, which are made at the first start (0600) unless the environment gives the key. What an earlier manager
 * was writing when it was killed goes.
 * @throws ConfigError when another manager holds it
 */
export async function openDataDirectory(path: string, secretKey: string | undefined): Promise<DataDirectory> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  const lock = await holdFileLock(join(path, 'manager.lock'));
  if (!lock) {
    throw new ConfigError(`DATA_DIR must not be in use by another manager: ${path} is. Example: DATA_DIR=./data-2`);
  }
  await removeCutOffWrites(path);
  // Environment files, which hold secrets.
  await removeCutOffWrites(join(path, 'tenants'), { depth: 1 });
  return {
    path,
    instance: await keptSecret(join(path, 'instance-id'), 9),
    secretKey: secretKey ?? (await keptSecret(join(path, 'secret.key'), 32)),
    release: lock.release,
  };
}

async function keptSecret(path: string, bytes: number): Promise<string> {
  const kept = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (kept.trim() !== '') return kept.trim();
  const made = newSecret(bytes);
  await writeFileAtomic(path, `${made}\n`);
  return made;
}
