import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { newSecret } from '../../lib/ids.ts';
import { checkedImportName } from './import-name.ts';

/** What the names of files that are not whole yet end with. */
export const asideEnding = '.tmp';

/** Under which name a file for a tenant's import is written until it is whole; the tenant takes it for none of its lists. */
export const asideName = (name: string): string => `.${checkedImportName(name)}.${newSecret(6)}${asideEnding}`;

/** Removes an import file, and what a manager that was killed has written of it. */
export async function removeImport(directory: string, name: string): Promise<void> {
  const begin = `.${checkedImportName(name)}.`;
  const names = await readdir(directory).catch((): string[] => []);
  const cutOff = names.filter((one) => one.startsWith(begin) && one.endsWith(asideEnding));
  for (const one of [...cutOff, name]) await rm(join(directory, one), { force: true });
}
