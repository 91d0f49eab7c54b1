import { readdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { directorySizes } from '../../../lib/files/directory-sizes.ts';
import type { DiskPart } from './schema.ts';

/** Measuring many releases is slow; it does not block the manager. */
const timeoutMs = 60_000;

/** The parts of the data directory. Runtimes keep their releases one level below. */
const partOf: Readonly<Record<string, DiskPart>> = {
  backups: 'backups',
  'process/releases': 'releases',
  'systemd/releases': 'releases',
  sources: 'sources',
  tenants: 'tenants',
  imports: 'imports',
  'tenantry.db': 'store',
  'tenantry.db-wal': 'store',
  'tenantry.db-shm': 'store',
};
const nestedDirectories = ['process', 'systemd'];

export interface DiskUse {
  name: DiskPart;
  bytes: number;
}

/**
 * Measures the disk usage of each part of the data directory (absolute), largest first.
 * @throws Error after the timeout or without `du`
 */
export async function diskUsage(directory: string): Promise<DiskUse[]> {
  const names = (await Promise.all((await namesIn(directory)).map((name) => expandName(directory, name)))).flat();
  const sums = new Map<DiskPart, number>();
  const sizes = await directorySizes(
    names.map((name) => join(directory, name)),
    { timeoutMs },
  );
  for (const [path, bytes] of sizes) {
    const part = partOf[relative(directory, path)] ?? 'other';
    sums.set(part, (sums.get(part) ?? 0) + bytes);
  }
  return [...sums].map(([name, bytes]) => ({ name, bytes })).sort((a, b) => b.bytes - a.bytes);
}

async function expandName(directory: string, name: string): Promise<string[]> {
  if (!nestedDirectories.includes(name)) return [name];
  return (await namesIn(join(directory, name))).map((inner) => `${name}/${inner}`);
}

/** The manager's own names: slugs, ids, words. Other names are skipped. */
const namesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => /^[\w.-]+$/.test(name));
