import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import type { FieldMapping, MappingTarget } from '../../../../src/features/list-imports/mapping/field-mapping.ts';
import { duplicateFinder } from '../../../../src/features/list-imports/rows/checks/duplicates.ts';
import { partMappings } from '../../../../src/features/list-imports/rows/files/part-columns.ts';
import {
  convertList,
  examineList,
  validateList,
  writeFailures,
} from '../../../../src/features/list-imports/rows/run-task.ts';
import type { ListPart, ListSource } from '../../../../src/features/list-imports/rows/tasks.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-rows-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const targets: Record<string, MappingTarget> = {
  First: 'first_name',
  Last: 'last_name',
  Mobile: 'cell_phone',
  'E-Mail': 'email',
  Remarks: 'notes',
};

interface List extends ListSource {
  rowCount: number;
}

let lists = 0;
/** A list of such lines below the usual header. */
async function list(lines: string[]): Promise<List> {
  lists += 1;
  const path = join(directory, `${lists}.csv`);
  await writeFile(path, `${[Object.keys(targets).join(','), ...lines].join('\n')}\n`);
  const { layout, rowCount } = await examineList({ path, sampleRows: 1 });
  const mappings = Object.entries(targets).map(([source, target]): FieldMapping => ({ source, target, confidence: 1 }));
  return { path, layout, rowCount, mappings, corrections: [], options: { region: 'US' } };
}

const person = (number: number): string => `Ann${number},Lee,,ann${number}@example.org,"Two\nlines of ${number}"`;
const persons = (count: number): string[] => Array.from({ length: count }, (_, index) => person(index + 1));
const readCsv = async (path: string): Promise<string[][]> => parse(await readFile(path, 'utf8'), { bom: true });

describe('validate', () => {
  test('counts rows, reports findings by row and file row, and writes rejected ones without formulas', async () => {
    const source = await list([
      person(1),
      '',
      'Ann,,,,=cmd()',
      'Bob,Lee,ask,bob@example.org,',
      ',Ray,,nonsense,"@""x"", -1"',
      'ANN1,LEE,,ANN1@EXAMPLE.ORG,again',
    ]);
    const errorsPath = join(directory, 'errors.csv');
    const { errors, warnings, summary, cells, ...counts } = await validateList({ ...source, errorsPath });
    expect(counts).toEqual({ total: 5, valid_count: 3, error_count: 2, warning_count: 2 });
    expect(cells.rows.map(({ row }) => row)).toEqual([2, 3, 4, 5]);
    expect(cells.rows[1]?.cells).toEqual(['Bob', 'Lee', 'ask', 'bob@example.org', '']);
    expect(errors.map(({ row, file_row, column, code }) => [row, file_row, column, code])).toEqual([
      [2, 4, 'Last', 'required'],
      [4, 6, 'First', 'required'],
    ]);
    expect(warnings).toEqual([
      expect.objectContaining({ row: 3, file_row: 5, field: 'cell_phone', code: 'invalid_phone', value: 'ask' }),
      expect.objectContaining({ row: 4, field: 'email', code: 'invalid_email' }),
      expect.objectContaining({
        row: 5,
        file_row: 7,
        column: null,
        code: 'duplicate_in_file',
        message: expect.stringContaining('Duplicate of row 2 of the file'),
      }),
    ]);
    expect(summary[0]).toEqual({ code: 'required', column: 'Last', count: 1 });
    const [header, ...rejected] = await readCsv(errorsPath);
    expect(header).toEqual(['row', 'file_row', 'reasons', ...Object.keys(targets)]);
    expect(rejected).toEqual([
      ['2', '4', 'Last: The last name is missing', 'Ann', '', '', '', "'=cmd()"],
      // A warning is not a reason.
      ['4', '6', 'First: The first name is missing', '', 'Ray', '', 'nonsense', `'@"x", -1`],
    ]);
  });

  test('reports rows merged by a quotation mark, and imports none of them', async () => {
    const source = await list([
      person(1),
      '"Unclosed,Lee,,unclosed@example.org,x',
      'Dee "D" Fox,Fox,,dee@example.org,y',
      'Eve,"O"Hara",,eve@example.org,"said ""yes"", then',
      'left"',
      'Gus,Lee,,gus@example.org,"line one',
      'the "other" line"',
    ]);
    const { errors, valid_count } = await validateList({ ...source, errorsPath: join(directory, 'quotes.csv') });
    expect(errors.map(({ row, code }) => [row, code])).toEqual([[2, 'broken_quotes']]);
    expect(valid_count).toBe(3);
  });

  test('keeps the first thousand findings of each kind, and counts all', async () => {
    const source = await list([...Array.from({ length: 1_200 }, () => 'Ann,,,,'), ...persons(3)]);
    const errorsPath = join(directory, 'many.csv');
    const found = await validateList({ ...source, errorsPath });
    expect(found).toMatchObject({ total: 1_203, error_count: 1_200, valid_count: 3 });
    expect(found.errors).toHaveLength(1_000);
    expect(found.summary).toEqual([{ code: 'required', column: 'Last', count: 1_200 }]);
    expect(await readCsv(errorsPath)).toHaveLength(1_201);
  });

  test('ends when cancelled', async () => {
    const source = await list(persons(5_000));
    const cancel = new AbortController();
    const running = validateList({ ...source, errorsPath: join(directory, 'x.csv') }, { signal: cancel.signal });
    cancel.abort(new Error('Enough'));
    await expect(running).rejects.toThrow('Enough');
  });
});

describe('convert', () => {
  const rowsPerPart = 10;

  async function partsOf(source: List, name: string, from?: { part: number; row: number }) {
    const into = join(directory, name);
    const parts: ListPart[] = [];
    const result = await convertList(
      { ...source, directory: into, rowsPerPart, originals: true, from },
      { onPart: (part) => void parts.push(part) },
    );
    return { into, parts, result };
  }

  test('a cancelled conversion ends only when the receiver of a part has ended', async () => {
    const source = await list(persons(100));
    const cancel = new AbortController();
    let ended = false;
    const running = convertList(
      { ...source, directory: join(directory, 'cancelled'), rowsPerPart, originals: false },
      {
        signal: cancel.signal,
        async onPart() {
          cancel.abort(new Error('Enough'));
          await sleep(300);
          ended = true;
        },
      },
    );
    await expect(running).rejects.toThrow('Enough');
    expect(ended).toBe(true);
  });

  test('writes parts with the targets as headers and the original row in addition, and reports which rows are in them', async () => {
    const source = await list([
      ...persons(12),
      'Nobody,,,,',
      ...persons(3).map((line) => line.replace('Lee', 'MCKAY')),
    ]);
    const { into, parts, result } = await partsOf(source, 'parts');
    expect(result).toEqual({ parts: 2, rows: 15, rejected: 1, duplicates: 0, total: 16 });
    expect(parts).toEqual([
      { number: 1, file: 'part-00001.csv', rows: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], duplicates: 0 },
      { number: 2, file: 'part-00002.csv', rows: [11, 12, 14, 15, 16], duplicates: 0 },
    ]);
    const [header = [], ...rows] = await readCsv(join(into, 'part-00002.csv'));
    expect(header).toEqual(Object.keys(partMappings(source.mappings, source.layout.headers, true)));
    const record = Object.fromEntries(header.map((column, index) => [column, rows[2]?.[index]]));
    expect(record).toMatchObject({
      first_name: 'Ann1',
      last_name: 'McKay',
      email: 'ann1@example.org',
      notes: 'Two\nlines of 1',
      'original.Last': 'MCKAY',
    });
    expect((await readdir(into)).sort()).toEqual(['part-00001.csv', 'part-00002.csv']);
  });

  test('makes the same parts when it resumes at a part', async () => {
    const source = await list(persons(35).map((line, index) => (index % 7 === 3 ? 'Nobody,,,,' : line)));
    const whole = await partsOf(source, 'whole');
    const again = await partsOf(source, 'again', { part: 2, row: (whole.parts[0]?.rows.at(-1) ?? 0) + 1 });
    expect(again.parts).toEqual(whole.parts.slice(1));
    for (const { file } of again.parts) {
      expect(await readFile(join(again.into, file), 'utf8')).toBe(await readFile(join(whole.into, file), 'utf8'));
    }
    expect(whole.result.rejected).toBeGreaterThan(1);
  });

  test('waits while a part is processed', async () => {
    const source = await list(persons(100));
    const into = join(directory, 'waits');
    let most = 0;
    await convertList(
      { ...source, directory: into, rowsPerPart, originals: false },
      {
        async onPart({ file }) {
          most = Math.max(most, (await readdir(into)).filter((name) => name.endsWith('.csv')).length);
          await rm(join(into, file));
        },
      },
    );
    expect(most).toBeLessThanOrEqual(2);
  });

  test('adds rows that the tenant rejected to the error file', async () => {
    const source = await list(persons(20));
    const errorsPath = join(directory, 'refused.csv');
    await validateList({ ...source, errorsPath });
    const refusals = await refused(
      [
        { row: 7, message: 'too new' },
        { row: 3, message: 'not liked' },
      ],
      [],
      [{ row: 12, message: 'twice' }],
    );
    expect(await writeFailures({ ...source, refusals, errorsPath })).toEqual({ written: 3 });
    const [header, ...rows] = await readCsv(errorsPath);
    expect(header?.slice(0, 3)).toEqual(['row', 'file_row', 'reasons']);
    expect(rows).toEqual([
      ['3', '4', 'not liked', 'Ann3', 'Lee', '', 'ann3@example.org', 'Two\nlines of 3'],
      ['7', '8', 'too new', 'Ann7', 'Lee', '', 'ann7@example.org', 'Two\nlines of 7'],
      ['12', '13', 'twice', 'Ann12', 'Lee', '', 'ann12@example.org', 'Two\nlines of 12'],
    ]);
  });

  test('a tenant may reject all rows of a long list with long messages', async () => {
    const [parts, inPart] = [12, 5_000];
    const source = await list(persons(parts * inPart));
    const message = 'no such precinct '.repeat(30);
    const refusals = await refused(
      ...Array.from({ length: parts }, (_, part) =>
        Array.from({ length: inPart }, (__, at) => ({ row: part * inPart + at + 1, message })),
      ),
    );
    const errorsPath = join(directory, 'all-refused.csv');
    expect(await writeFailures({ ...source, refusals, errorsPath })).toEqual({ written: parts * inPart });
  });
});

test('errors.csv has a byte order mark, Windows line ends and no empty line, also after it was appended to', async () => {
  const source = await list([person(1), ',Ray,,,"=1, ""2"""', ',Roy,,,\0=2']);
  const errorsPath = join(directory, 'exact.csv');
  await validateList({ ...source, errorsPath });
  const header = '\ufeffrow,file_row,reasons,First,Last,Mobile,E-Mail,Remarks\r\n';
  // A formula behind a NUL character, which is removed, is escaped, too.
  const rejected =
    `2,3,First: The first name is missing,,Ray,,,"'=1, ""2"""\r\n` +
    `3,4,First: The first name is missing,,Roy,,,'=2\r\n`;
  expect(await readFile(errorsPath, 'utf8')).toBe(header + rejected);
  await writeFailures({ ...source, refusals: await refused([]), errorsPath });
  expect(await readFile(errorsPath, 'utf8')).toBe(header + rejected);
  await writeFailures({ ...source, refusals: await refused([{ row: 1, message: '+1' }]), errorsPath });
  const refusal = `1,2,'+1,Ann1,Lee,,ann1@example.org,"Two\nlines of 1"\r\n`;
  expect(await readFile(errorsPath, 'utf8')).toBe(header + rejected + refusal);
});

test('merged duplicates keep the limits of one cell: the first hundred tags, each once', async () => {
  const tagged = (from: number): string => {
    const tags = Array.from({ length: 60 }, (_, index) => `tag ${from + index}`);
    return `Ann,Lee,,ann@example.org,"${[...tags, from === 0 ? 'Pilot' : 'PILOT'].join(',')}"`;
  };
  const source = await list([tagged(0), tagged(60), tagged(120)]);
  const mappings = source.mappings.map((mapping) =>
    mapping.source === 'Remarks' ? { ...mapping, target: 'tags' as const } : mapping,
  );
  const into = join(directory, 'merged-tags');
  const duplicates = { choice: 'merge' as const, rowCount: source.rowCount };
  await convertList({ ...source, mappings, directory: into, rowsPerPart: 10, originals: false, duplicates }, {});
  const [header = [], ...rows] = await readCsv(join(into, 'part-00001.csv'));
  const expected = ['Pilot', ...Array.from({ length: 99 }, (_, index) => `tag ${index}`)];
  expect(rows.map((row) => row[header.indexOf('tags')]?.split(',').sort())).toEqual([expected.sort()]);
});

/** Files of rejections, one for each part. */
async function refused(...parts: { row: number; message: string }[][]): Promise<string[]> {
  const into = await mkdtemp(join(directory, 'refusals-'));
  const paths = parts.map((_, at) => join(into, `${at + 1}.json`));
  for (const [at, part] of parts.entries()) await writeFile(paths[at] ?? '', JSON.stringify(part));
  return paths;
}

describe('duplicates inside a file', () => {
  const fields: MappingTarget[] = ['first_name', 'last_name', 'email', 'cell_phone', 'home_phone', 'address1', 'zip'];
  const row = (person: Partial<Record<string, string>>): string[] => fields.map((field) => person[field] ?? '');

  test.each<[string, Record<string, string>, Record<string, string>, number | undefined]>([
    ['one e-mail address', { email: 'a@example.org' }, { email: 'a@example.org' }, 1],
    [
      'one phone and name',
      { first_name: 'A', last_name: 'LEE', cell_phone: '+13125550170' },
      { first_name: 'a', last_name: 'Lee', home_phone: '312 555 0170' },
      1,
    ],
    [
      'one phone, two first names',
      { first_name: 'A', last_name: 'Lee', cell_phone: '+13125550170' },
      { first_name: 'B', last_name: 'Lee', cell_phone: '+13125550170' },
      undefined,
    ],
    [
      'one name and address, no ZIP code',
      { first_name: 'A', last_name: 'Lee', address1: '1 Main' },
      { first_name: 'a', last_name: 'lee', address1: '1 MAIN' },
      undefined,
    ],
    [
      'one name and ZIP code, two addresses',
      { first_name: 'A', last_name: 'Lee', zip: '62701', address1: '1 Main' },
      { first_name: 'A', last_name: 'Lee', zip: '62701', address1: '2 Main' },
      1,
    ],
    [
      'father and daughter: two e-mail addresses',
      { first_name: 'Pat', last_name: 'Lee', zip: '62701', email: 'a@example.org' },
      { first_name: 'Pat', last_name: 'Lee', zip: '62701', email: 'b@example.org' },
      undefined,
    ],
    ['nothing known', {}, {}, undefined],
  ])('%s', (_, one, other, expected) => {
    const find = duplicateFinder(fields, 10);
    expect(find(1, row(one))).toBeUndefined();
    expect(find(2, row(other))?.firstRow).toBe(expected);
  });

  test('a row found to be a duplicate adds no keys, since it is not imported', () => {
    const find = duplicateFinder(fields, 10);
    const known = { first_name: 'A', last_name: 'Lee', email: 'a@example.org' };
    expect(find(1, row(known))).toBeUndefined();
    expect(find(2, row({ ...known, zip: '62701' }))?.firstRow).toBe(1);
    expect(find(3, row({ first_name: 'A', last_name: 'Lee', zip: '62701' }))).toBeUndefined();
  });

  test('takes none of 50,000 people for another, and finds each that occurs again', () => {
    const find = duplicateFinder(['first_name', 'last_name', 'email', 'cell_phone'], 50_000);
    const of = (number: number) => ['Ann', `Lee${number}`, `ann${number}@example.org`, `+1${3_000_000_000 + number}`];
    const found: unknown[] = [];
    for (let number = 1; number <= 50_000; number += 1) {
      const duplicate = find(number, of(number));
      if (duplicate) found.push([number, duplicate]);
    }
    expect(found).toEqual([]);
    for (let number = 1; number <= 50_000; number += 997) expect(find(50_001, of(number))?.firstRow).toBe(number);
  });

  test('handles rows beyond the announced number', () => {
    const find = duplicateFinder(['last_name', 'email'], 3);
    for (let number = 1; number <= 1_000; number += 1) find(number, ['Lee', `${number}@example.org`]);
    expect(find(1_001, ['Lee', '1@example.org'])?.firstRow).toBe(1);
    expect(find(1_002, ['Lee', '900@example.org'])).toBeUndefined();
  });
});
