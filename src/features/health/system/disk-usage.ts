import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from '../../../lib/spawn.ts';
import type { DiskPart } from './schema.ts';

/** A walk over many releases takes its time; the manager itself does nothing meanwhile. */
const timeoutMs = 60_000;

/** What the entries of the data directory are; runtimes keep their releases one level below. */
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
const divided = ['process', 'systemd'];

export interface DiskUse {
  name: DiskPart;
  bytes: number;
}

/**
 * How much room each part of the data directory takes on the disk, largest first, as `du` of the host counts it. What goes away
 * meanwhile is left out.
 * @throws Error where it could not be measured in time, or there is no `du`
 */
export async function diskUsage(directory: string): Promise<DiskUse[]> {
  const names = (await Promise.all((await namesIn(directory)).map((name) => dividedName(directory, name)))).flat();
  if (names.length === 0) return [];
  const sums = new Map<DiskPart, number>();
  const { timedOut } = await runProgram('du', ['-s', '-k', '-x', '--', ...names], {
    cwd: directory,
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    timeoutMs,
    onLine(line) {
      const [, kilobytes, name = ''] = /^(\d+)\t(.+)$/.exec(line) ?? [];
      if (kilobytes === undefined || !names.includes(name)) return;
      const part = partOf[name] ?? 'other';
      sums.set(part, (sums.get(part) ?? 0) + Number(kilobytes) * 1024);
    },
  });
  if (timedOut) throw new Error(`The directory could not be measured within ${timeoutMs / 1_000} s`);
  return [...sums].map(([name, bytes]) => ({ name, bytes })).sort((a, b) => b.bytes - a.bytes);
}

async function dividedName(directory: string, name: string): Promise<string[]> {
  if (!divided.includes(name)) return [name];
  return (await namesIn(join(directory, name))).map((inner) => `${name}/${inner}`);
}

/** Names are the manager's own: slugs, ids, words. One that begins otherwise is nobody's to measure. */
const namesIn = async (directory: string): Promise<string[]> =>
  (await readdir(directory)).filter((name) => /^[\w.-]+$/.test(name));
