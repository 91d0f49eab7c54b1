import { lstat } from 'node:fs/promises';

/** Bytes of the plain files among these paths; undefined where none is there. */
export async function sizeOfFiles(paths: readonly string[]): Promise<number | undefined> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return sumOf(found.map((file) => (file?.isFile() ? file.size : undefined)));
}

/** The sum of what is there; undefined where nothing is. */
export function sumOf(sizes: readonly (number | undefined)[]): number | undefined {
  const there = sizes.filter((size) => size !== undefined);
  return there.length === 0 ? undefined : there.reduce((sum, size) => sum + size, 0);
}
