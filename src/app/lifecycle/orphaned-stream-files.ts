import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { rm } from '../../lib/files/changes.ts';

const ending = '.ndjson';
/** Files that are sent to the tenant at the same time. */
const batchSize = 500;

/**
 * Removes the streams of operations whose record was deleted, because of its age or with its tenant.
 * @param directory where the streams are kept, a file each
 * @param recorded which of these operations have a record
 */
export async function removeOrphanedStreamFiles(
  directory: string,
  recorded: (ids: readonly string[]) => Promise<ReadonlySet<string>>,
): Promise<void> {
  // A record is there before its stream: what is made from now on is not among these.
  const names = (await readdir(directory).catch(() => [])).filter((name) => name.endsWith(ending));
  for (let start = 0; start < names.length; start += batchSize) {
    const ids = names.slice(start, start + batchSize).map((name) => name.slice(0, -ending.length));
    const known = await recorded(ids);
    for (const id of ids) if (!known.has(id)) await rm(join(directory, id + ending), { force: true });
  }
}
