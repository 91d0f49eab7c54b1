import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { invalid } from '../../lib/errors.ts';
import { open, rename, rm } from '../../lib/files/changes.ts';
import { newSecret } from '../../lib/ids.ts';
import { isSlug } from '../../lib/text/slug.ts';

/** A tenant's slug, before it becomes part of a path. @throws AppError validation_error */
export function checkedSlug(slug: string): string {
  if (!isSlug(slug)) throw invalid('slug', 'must be the slug of a tenant');
  return slug;
}

/** A valid name of an import file. @throws AppError validation_error */
export function checkedImportName(name: string): string {
  if (!/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}$/.test(name))
    throw invalid('name', 'must consist of letters, digits and ._-, and not begin with a dot');
  return name;
}

/** Suffix of incomplete files. */
export const temporarySuffix = '.tmp';

/**
 * Writes an import file under a name that the tenant does not take for a list, and moves it when it is complete.
 * @param owner default: the manager's user
 */
export async function putImport(
  directory: string,
  name: string,
  content: AsyncIterable<Uint8Array>,
  owner?: { uid: number; gid: number },
): Promise<void> {
  const aside = join(directory, `.${checkedImportName(name)}.${newSecret(6)}${temporarySuffix}`);
  try {
    // Created again and changed by its descriptor: a link from the tenant leads nowhere.
    const file = await open(aside, 'wx', 0o600);
    if (owner) await file.chown(owner.uid, owner.gid);
    await pipeline(content, file.createWriteStream({ flush: true }));
    await rename(aside, join(directory, name));
  } catch (error) {
    await rm(aside, { force: true });
    throw error;
  }
}

/** Removes an import file, and a killed manager's incomplete copies of it. */
export async function removeImport(directory: string, name: string): Promise<void> {
  const begin = `.${checkedImportName(name)}.`;
  const names = await readdir(directory).catch((): string[] => []);
  const cutOff = names.filter((one) => one.startsWith(begin) && one.endsWith(temporarySuffix));
  for (const one of [...cutOff, name]) await rm(join(directory, one), { force: true });
}
