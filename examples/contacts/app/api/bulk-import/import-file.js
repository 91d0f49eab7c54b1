import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { failure } from '../errors.js';

const COMMON_DIRECTORY = '/tmp/imports';

/**
 * The real path of a file to import. Links are resolved before its location is checked.
 * @param {string} directory where files to import are put
 * @param {string} path
 * @returns {Promise<string>}
 * @throws 400 for a file elsewhere or a missing one, with the same message, so that callers cannot find out which files exist
 */
export async function importFile(directory, path) {
  const file = await realFile(directory, path).catch(() => undefined);
  if (!file) throw failure(400, `file_path must be a file within ${directory}`);
  return file;
}

async function realFile(directory, path) {
  const root = await realpath(directory);
  const file = await realpath(path);
  // A tenant's own directory must not be a link that leads out of the shared one.
  const misled = within(COMMON_DIRECTORY, resolve(directory)) && !within(await realpath(COMMON_DIRECTORY), root);
  return !misled && within(root, file) && (await stat(file)).isFile() ? file : undefined;
}

/** Whether a path is the directory or lies below it. */
function within(directory, path) {
  const way = relative(directory, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
