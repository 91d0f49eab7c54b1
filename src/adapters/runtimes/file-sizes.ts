import { lstat } from 'node:fs/promises';

/** Bytes of the plain files among these paths; undefined when there is none. */
export async function sizeOfFiles(paths: readonly string[]): Promise<number | undefined> {
  const found = await Promise.all(paths.map((path) => lstat(path).catch(() => undefined)));
  return sumOf(found.map((file) => (file?.isFile() ? file.size : undefined)));
}

/** The sum of the known sizes; undefined when there is none. */
export function sumOf(sizes: readonly (number | undefined)[]): number | undefined {
  const there = sizes.filter((size) => size !== undefined);
  return there.length === 0 ? undefined : there.reduce((sum, size) => sum + size, 0);
}
