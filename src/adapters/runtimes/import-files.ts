import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { invalid } from '../../lib/errors.ts';
import { newSecret } from '../../lib/ids.ts';
import { isSlug } from '../../lib/slug.ts';

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

/** The name of an import file while it is incomplete; the tenant does not take it for a list. */
export const temporaryName = (name: string): string => `.${checkedImportName(name)}.${newSecret(6)}${temporarySuffix}`;

/** Removes an import file, and a killed manager's incomplete copies of it. */
export async function removeImport(directory: string, name: string): Promise<void> {
  const begin = `.${checkedImportName(name)}.`;
  const names = await readdir(directory).catch((): string[] => []);
  const cutOff = names.filter((one) => one.startsWith(begin) && one.endsWith(temporarySuffix));
  for (const one of [...cutOff, name]) await rm(join(directory, one), { force: true });
}
