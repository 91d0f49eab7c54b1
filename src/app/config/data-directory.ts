import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { removeCutOffWrites, writeFileAtomic } from '../../lib/files/atomic-file.ts';
import { chmod, mkdir } from '../../lib/files/changes.ts';
import { type FileLock, holdFileLock } from '../../lib/files/file-lock.ts';
import { newSecret } from '../../lib/ids.ts';
import { ConfigError } from './config.ts';

export interface DataDirectory {
  path: string;
  secretKey: string;
  /** Writes a secret key that was made at this start; before it nothing may be encrypted with it. */
  keepSecretKey(): Promise<void>;
  release(): Promise<void>;
}

/**
 * Takes hold of the data directory: makes it (0700), refuses it while another manager holds it, and reads the secret key, which
 * is made at the first start (0600) unless the environment gives it. What an earlier manager was writing when it was killed goes.
 * @param lease instead of the directory's own lock: it also holds between machines
 * @throws ConfigError when another manager holds it
 */
export async function openDataDirectory(
  path: string,
  secretKey: string | undefined,
  lease?: { lock: FileLock | undefined },
): Promise<DataDirectory> {
  await makeDataDirectory(path);
  const lock = lease ? lease.lock : await holdFileLock(lockFileIn(path));
  if (!lock && !lease) throw dataDirectoryInUse(path);
  await keepPrivate(path);
  await removeCutOffWrites(path);
  // Environment files, which hold secrets.
  await removeCutOffWrites(join(path, 'tenants'), { depth: 1 });
  const key = await keptSecret(join(path, 'secret.key'), 32);
  return {
    path,
    secretKey: secretKey ?? key.value,
    async keepSecretKey() {
      if (secretKey === undefined) await key.keep();
    },
    release: async () => lock?.release(),
  };
}

/** Makes the data directory, private to the manager's user. */
export async function makeDataDirectory(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
}

/** The file that the manager locks while it runs. */
export const lockFileIn = (path: string): string => join(path, 'manager.lock');

export const dataDirectoryInUse = (path: string): ConfigError =>
  new ConfigError(`DATA_DIR must not be in use by another manager: ${path} is. Example: DATA_DIR=./data-2`);

/** Directories that are made on the way, without a mode of their own. */
const privateDirectories = ['bulk', 'imports', 'kept', 'operations', 'process', 'tenants', 'themes', 'websites'];

/** Makes the directories in the data directory private (0700): its own mode may be changed by hand. */
async function keepPrivate(path: string): Promise<void> {
  for (const name of privateDirectories) {
    await mkdir(join(path, name), { recursive: true, mode: 0o700 });
    await chmod(join(path, name), 0o700);
  }
}

/** A secret from a file; a new one where there is none, which `keep` writes. */
async function keptSecret(path: string, bytes: number): Promise<{ value: string; keep(): Promise<void> }> {
  const kept = await readIfThere(path);
  if (kept.trim() !== '') return { value: kept.trim(), keep: async () => undefined };
  const made = newSecret(bytes);
  return { value: made, keep: () => writeFileAtomic(path, `${made}\n`) };
}

const readIfThere = (path: string): Promise<string> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
