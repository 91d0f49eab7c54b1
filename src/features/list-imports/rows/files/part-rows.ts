import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The position of a part's row in the list. */
export interface PartRow {
  row: number;
  fileRow: number;
}

/** `part-00001.csv`, of a part's number. */
export function partFile(part: number): string {
  return `part-${String(part).padStart(5, '0')}.csv`;
}

/** Next to the part: a line of `row,fileRow` for each of its rows. */
export function partRowsFile(part: number): string {
  return `part-${String(part).padStart(5, '0')}.rows`;
}

/** The rows of a part in their order: the tenant's row n is the n-th of them (from 1). */
export async function readPartRows(directory: string, part: number): Promise<PartRow[]> {
  const text = await readFile(join(directory, partRowsFile(part)), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [row = 0, fileRow = 0] = line.split(',').map(Number);
      return { row, fileRow };
    });
}
