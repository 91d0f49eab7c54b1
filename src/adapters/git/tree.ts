import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../../lib/errors.ts';
import { foreignLine } from '../../lib/text/foreign-text.ts';
import { type Git, GitFailure } from './git.ts';

/** A file, symbolic link or submodule of a commit. */
export interface TreeEntry {
  /** git's: `100644`, `100755`, `120000`, `160000` (a submodule). */
  mode: string;
  /** Of the blob, or the submodule's commit. */
  id: string;
  path: string;
}

/**
 * The entries of the index that have one of these modes and that the path specifications select.
 * @param git works in the tree's directory with its index
 */
export async function entriesOf(
  git: Git,
  modes: readonly string[],
  paths: readonly string[] = [],
): Promise<TreeEntry[]> {
  const found: TreeEntry[] = [];
  const onLine = (line: string): void => {
    const [, mode = '', id = '', path = ''] = /^(\d{6}) ([0-9a-f]+) 0\t(.+)$/.exec(line) ?? [];
    if (modes.includes(mode)) found.push({ mode, id, path });
  };
  await git(['ls-files', '--stage', '--', ...paths], { stdoutOnly: true, onLine });
  // git quotes such a name.
  const odd = found.find(({ path }) => path.startsWith('"'));
  if (odd) throw new AppError('git_error', `${shown(odd.path)}: a name with a quote, backslash or control character`);
  return found;
}

/** The entries of a file of the commit in git's own format, as key and value; none if it is not there. @throws AppError git_error */
export async function readConfig(git: Git, file: string): Promise<[key: string, value: string][]> {
  const [entry] = await entriesOf(git, ['100644', '100755'], [`:(literal)${file}`]);
  if (!entry) return [];
  const lines: string[] = [];
  const list = ['config', '--blob', entry.id, '--no-includes', '--null', '--list'];
  await git(list, { stdoutOnly: true, onLine: (line) => void lines.push(line) }).catch((error: unknown) => {
    if (error instanceof GitFailure) throw new AppError('git_error', `${file} of the repository cannot be read by git`);
    throw error;
  });
  return lines
    .join('\n')
    .split('\0')
    .map((text) => {
      const [key = '', ...value] = text.split('\n');
      return [key, value.join('\n')];
    });
}

/** The place of an entry on the disk, behind no symbolic link. @throws Error if there is one */
export async function placeOf(directory: string, path: string): Promise<string> {
  const place = join(directory, path);
  const parent = join(place, '..');
  const expected = join(await realpath(directory), path, '..');
  if ((await realpath(parent)) !== expected) throw new Error(`${shown(path)} is behind a symbolic link`);
  return place;
}

/** A repository's own text for a message: of an address, without credentials. */
export function shown(text: string): string {
  const line = foreignLine(text);
  const end = line.lastIndexOf('@');
  // What is no address may have its password anywhere before the last one.
  const safe = URL.canParse(line) ? line.replaceAll(/(?<=\/\/)[^/\s]*@/g, '***@') : `***${line.slice(end)}`;
  return (end < 0 || !line.includes('//') ? line : safe).slice(0, 300);
}
