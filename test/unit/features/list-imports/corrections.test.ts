import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TableLayout } from '../../../../src/adapters/tabular/tabular.ts';
import { readCorrectedRows } from '../../../../src/features/list-imports/corrections/apply.ts';
import type { Correction } from '../../../../src/features/list-imports/corrections/correction.ts';
import { examineList } from '../../../../src/features/list-imports/rows/run-task.ts';

const rows = [
  ['a', 'b'],
  ['', 'a '],
  ['ab', 'a'],
];
let directory: string;
let path: string;
let layout: TableLayout;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-corrections-'));
  path = join(directory, 'list.csv');
  await writeFile(path, `${['One,Two', ...rows.map((cells) => cells.join(','))].join('\n')}\n`);
  layout = (await examineList({ path, sampleRows: 1 })).layout;
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function read(corrections: readonly Correction[]) {
  const found = [];
  for await (const batch of readCorrectedRows(path, layout, corrections)) found.push(...batch);
  return found.map(({ cells, uploadedCells }) => ({ cells, uploadedCells }));
}

/** Each cell with one correction after the other. */
const oneByOne = (corrections: readonly Correction[]): string[][] =>
  rows.map((cells, index) =>
    cells.map((uploaded, at) =>
      corrections
        .filter(({ column }) => column === ['One', 'Two'][at])
        .reduce((cell, one) => {
          if ('row' in one) return one.row === index + 1 ? one.value : cell;
          if (one.match === 'text') return cell.replaceAll(one.find, () => one.replace);
          return cell.trim() === one.find.trim() ? one.replace : cell;
        }, uploaded),
    ),
  );

test('corrections of cells, values and texts apply in their order, each to what the earlier ones left', async () => {
  const column = fc.constantFrom('One', 'Two', 'None');
  const value = fc.constantFrom('', 'a', 'b', ' b ', 'ab');
  const correction = fc.oneof(
    fc.record({ column, row: fc.integer({ min: 1, max: 4 }), value }),
    fc.record({ column, find: value, replace: value, match: fc.constant('cell' as const) }),
    fc.record({ column, find: fc.constantFrom('a', 'b'), replace: value, match: fc.constant('text' as const) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(correction, { maxLength: 8 }), async (corrections) => {
      const expected = oneByOne(corrections).map((cells, index) => ({
        cells,
        uploadedCells: JSON.stringify(cells) === JSON.stringify(rows[index]) ? undefined : rows[index],
      }));
      expect(await read(corrections)).toEqual(expected);
    }),
    { numRuns: 300 },
  );
});
