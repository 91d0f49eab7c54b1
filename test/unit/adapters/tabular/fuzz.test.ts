import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import * as XLSX from 'xlsx';
import { AppError } from '../../../../src/lib/errors.ts';
import { runTask } from '../../../../src/lib/workers/worker-task.ts';
import { patienceMs } from '../../../harness/patience.ts';
import { scratch } from './read-table.ts';
import { textRow, writeXlsx, xlsxParts } from './xlsx-file.ts';
import { writeZip } from './zip-file.ts';

const { file, remove } = scratch();
afterAll(remove);
const entry = new URL('read-entry.ts', import.meta.url);

const rounds = 2_000;
const seed = 20_241_105;

/** Mulberry32: a deterministic sequence, so that failures are reproducible. */
function random(state: number): () => number {
  let now = state;
  return () => {
    now = (now + 0x6d2b79f5) | 0;
    let mixed = Math.imul(now ^ (now >>> 15), 1 | now);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const next = random(seed);
const below = (bound: number): number => Math.floor(next() * bound);
const pick = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;

const csv = 'First,Last,"Note, more",ZIP\nJosé,"O""Neil","two\nlines",02138\nAnn,Lee,,02139\n;\t|\nBob,Ray,x,02140\n';
const sheetXml =
  textRow('Name', 'City') +
  textRow('José', 'Bath') +
  '<row r="9"><c r="A9" s="1"><v>45443</v></c><c r="B9" t="s"><v>0</v></c></row>';
const styles =
  '<numFmts count="1"><numFmt numFmtId="170" formatCode="[&lt;=9999999]###\\-####;\\(###\\)\\ ###\\-####"/></numFmts><cellXfs><xf numFmtId="14"/><xf numFmtId="170"/></cellXfs>';
const xlsx = { strings: '<si><t>Rome</t></si>', styles, sheets: [{ name: 'One', rows: sheetXml }] };
const book = XLSX.utils.book_new();
XLSX.utils.book_append_sheet(
  book,
  XLSX.utils.aoa_to_sheet([
    ['Name', 'City'],
    ['José', 'Bath'],
    ['Ann', 7035550123],
  ]),
  'One',
);

function seeds(): Buffer[] {
  writeXlsx(file('seed.xlsx'), xlsx);
  return [
    Buffer.from(csv),
    Buffer.from(csv.replaceAll(',', ';'), 'latin1'),
    Buffer.from(`\uFEFF${csv}`, 'utf16le'),
    Buffer.from(csv.repeat(200)),
    readFileSync(file('seed.xlsx')),
    ...(['biff8', 'biff5', 'ods'] as const).map((bookType): Buffer => XLSX.write(book, { type: 'buffer', bookType })),
  ];
}

const tokens = [
  '"',
  ',',
  '\r',
  '\n',
  '\0',
  '\uFEFF',
  '=',
  '<',
  '>',
  '&',
  '</row>',
  '<row r="1048577">',
  '<c r="ZZZ1">',
  'PK\x03\x04',
  '\xff\xfe',
  '-1',
  '1e999',
];

/** A few mutations: bytes changed, removed, repeated, inserted. */
function mutate(bytes: Buffer): Buffer {
  let changed = Buffer.from(bytes);
  for (let changes = 1 + below(4); changes > 0 && changed.length > 0; changes--) {
    const at = below(changed.length);
    const [before, after] = [changed.subarray(0, at), changed.subarray(at)];
    switch (below(6)) {
      case 0:
        changed[at] = below(256);
        break;
      case 1:
        changed = Buffer.concat([before, after.subarray(below(64))]);
        break;
      case 2:
        changed = Buffer.concat([before, Buffer.from(pick(tokens), 'latin1'), after]);
        break;
      case 3:
        changed = Buffer.concat([before, after.subarray(0, below(200)), after]);
        break;
      case 4:
        changed = Buffer.from(before);
        break;
      default:
        for (let run = 0; run < 8 && at + run < changed.length; run++) changed[at + run] = pick([0, 0xff, 0x7f, 0x80]);
    }
  }
  return changed;
}

/** A valid archive with invalid parts: mutations of packed bytes hardly ever reach the XML. */
function mutatedParts(path: string): void {
  const parts = xlsxParts(xlsx);
  const chosen = pick(parts);
  writeZip(
    path,
    parts.map(({ name, data }) => ({ name, data: name === chosen.name ? mutate(Buffer.from(data)) : data })),
  );
}

test(`${rounds} mutated files give a table or one of the known errors, nothing else`, async () => {
  const originals = seeds();
  const paths = Array.from({ length: rounds }, (_, round) => {
    const path = file(`${round}.csv`);
    if (round % 3 === 0) mutatedParts(path);
    else writeFileSync(path, mutate(pick(originals)));
    return path;
  });
  const outcomes: { path: string; counted?: number; read?: number; code?: string; message?: string }[] = [];
  let left = paths;
  while (left.length > 0) {
    // A file may fill the thread's heap; that too is a known error, and the next thread continues with the next file.
    await runTask<string[], (typeof outcomes)[number], void>(entry, left, {
      heapMb: 128,
      processorMs: patienceMs,
      onMessage: (outcome) => void outcomes.push(outcome),
      outOfMemory: () => new AppError('unsupported_file', 'too much memory'),
    }).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error;
      outcomes.push({ path: left[outcomes.length - (rounds - left.length)] ?? '', code: error.code });
    });
    left = paths.slice(outcomes.length);
  }
  const wrong = outcomes.filter(({ code, message, counted, read }) =>
    code === undefined ? message !== undefined || counted !== read : code !== 'unsupported_file',
  );
  expect(wrong).toEqual([]);
  expect(outcomes.map(({ path }) => path)).toEqual(paths);
  const tables = outcomes.filter(({ code }) => code === undefined).length;
  // Both outcomes occur often.
  expect(tables).toBeGreaterThan(rounds / 10);
  expect(rounds - tables).toBeGreaterThan(rounds / 10);
});
