import { writeFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from '@jest/globals';
import * as XLSX from 'xlsx';
import { readTable, scratch } from './read-table.ts';
import { writeZip } from './zip-file.ts';

const { file, remove } = scratch();
afterAll(remove);

function workbook(): XLSX.WorkBook {
  const book = XLSX.utils.book_new();
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([]), 'Empty');
  const sheet = XLSX.utils.aoa_to_sheet([
    ['Members'],
    [],
    ['Name', 'Phone', 'ZIP', 'Born', 'Share', 'Active', 'At', 'Sum'],
    [
      'José',
      7035550123,
      { t: 'n', v: 2138, z: '00000' },
      { t: 'n', v: 45443, z: 'm/d/yy' },
      { t: 'n', v: 0.125, z: '0.0%' },
      true,
    ],
    ['Ann', '+44 20', '02139', { t: 'n', v: 29221, z: 'yyyy-mm-dd' }, { t: 'n', v: 1, z: '0%' }, false],
  ]);
  Object.assign(sheet, {
    G4: { t: 'n', v: 45443.75, z: 'yyyy-mm-dd hh:mm' },
    H4: { t: 'n', v: 3, f: 'SUM(1,2)' },
    '!ref': 'A1:H5',
  });
  XLSX.utils.book_append_sheet(book, sheet, 'People');
  XLSX.utils.book_append_sheet(book, XLSX.utils.aoa_to_sheet([['Name'], ['Bob']]), 'Old');
  return book;
}

describe.each<['xls', XLSX.BookType]>([
  ['xls', 'biff8'],
  ['xls', 'biff5'],
])('%s (%s)', (format, bookType) => {
  const path = file(`list-${bookType}.csv`);
  // The library writes é of a code page as _; Excel 95 does not.
  const written: Buffer = XLSX.write(workbook(), { type: 'buffer', bookType });
  writeFileSync(path, Buffer.from(written.toString('latin1').replace('Jos_', 'José'), 'latin1'));

  test('reads cells as displayed, below a title', async () => {
    const table = await readTable(path);
    expect(table.layout).toMatchObject({ format, sheet: 'People', headerRow: 3, firstRow: 4 });
    expect(table.layout.sheets).toEqual([
      { name: 'Empty', empty: true },
      { name: 'People', empty: false },
      { name: 'Old', empty: false },
    ]);
    expect(table.cells[0]?.slice(0, 8)).toEqual([
      'José',
      '7035550123',
      '02138',
      '2024-05-31',
      '12.5%',
      'TRUE',
      '2024-05-31 18:00',
      '3',
    ]);
    expect(table.cells[1]?.slice(0, 8)).toEqual(['Ann', '+44 20', '02139', '1980-01-01', '100%', 'FALSE', '', '']);
    expect(table.rows[0]).toMatchObject({ number: 1, fileRow: 4 });
  });

  test('reads another sheet', async () => {
    expect((await readTable(path, 'Old')).cells).toEqual([['Bob']]);
    await expect(readTable(path, 'New')).rejects.toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'sheet' }],
    });
  });
});

describe('ods', () => {
  const path = file('list-ods.csv');
  const namespaces = ['office', 'table', 'text', 'style', 'number', 'calcext']
    .map((name) => `xmlns:${name}="urn:oasis:names:tc:opendocument:xmlns:${name}:1.0"`)
    .join(' ');
  const text = (value: string): string =>
    `<table:table-cell office:value-type="string"><text:p>${value}</text:p></table:table-cell>`;
  const cell = (type: string, value: string, shown: string): string =>
    `<table:table-cell office:value-type="${type}" ${value}><text:p>${shown}</text:p></table:table-cell>`;
  const row = (...cells: string[]): string => `<table:table-row>${cells.join('')}</table:table-row>`;
  const sheet = (name: string, ...rows: string[]): string =>
    `<table:table table:name="${name}">${rows.join('')}</table:table>`;
  const write = (body: string, more: { name: string; data: string }[] = [], before = ''): void =>
    writeZip(path, [
      { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet' },
      {
        name: 'content.xml',
        data: `<?xml version="1.0" encoding="UTF-8"?>${before}<office:document-content ${namespaces}><office:body><office:spreadsheet>${body}</office:spreadsheet></office:body></office:document-content>`,
      },
      { name: 'styles.xml', data: `<office:document-styles ${namespaces}/>` },
      ...(more.length > 0 ? more : [{ name: 'META-INF/manifest.xml', data: '<manifest/>' }]),
    ]);

  test('reads cells as displayed, repeated ones, empty rows', async () => {
    write(
      sheet('Empty', row('<table:table-cell table:number-columns-repeated="1024"/>')) +
        sheet(
          'People',
          row(...['Name', 'Phone', 'ZIP', 'Born', 'Share', 'Active', 'Sum'].map(text)),
          '<table:table-row table:number-rows-repeated="2"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>',
          row(
            text('José'),
            cell('float', 'office:value="7035550123"', '7035550123'),
            cell('float', 'office:value="2138"', '02138'),
            cell('date', 'office:date-value="2024-05-31"', '31/05/24'),
            cell('percentage', 'office:value="0.125"', '12.5%'),
            cell('boolean', 'office:boolean-value="true"', 'TRUE'),
            cell('currency', 'office:currency="USD" office:value="1234.5"', '$1,234.50'),
          ),
          row(
            text('Ann &amp; Bob'),
            cell('float', 'office:value="123456789012"', '1.23456789012E+11'),
            '<table:table-cell office:value-type="string" table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell>',
          ),
          '<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="1024"/></table:table-row>',
        ) +
        sheet('Old', row(text('Name')), row(text('Bob'))),
    );
    const table = await readTable(path);
    expect(table.layout).toMatchObject({ format: 'ods', sheet: 'People', headerRow: 1 });
    expect(table.layout.sheets.map(({ empty }) => empty)).toEqual([true, false, false]);
    expect(table.rows).toEqual([
      {
        number: 1,
        fileRow: 4,
        cells: ['José', '7035550123', '02138', '2024-05-31', '12.5%', 'TRUE', '$1,234.50'],
        problem: undefined,
      },
      { number: 2, fileRow: 5, cells: ['Ann & Bob', '123456789012', 'x', 'x', '', '', ''], problem: undefined },
    ]);
    expect((await readTable(path, 'Old')).cells).toEqual([['Bob']]);
  });

  test.each<[string, () => void, RegExp]>([
    [
      'encrypted',
      () => write('', [{ name: 'META-INF/manifest.xml', data: '<manifest><encryption-data/></manifest>' }]),
      /protected by a password/,
    ],
    ['with entities', () => write('', [], '<!DOCTYPE x [<!ENTITY a "aaaa">]>'), /declares a document type/],
    [
      'another document',
      () =>
        writeZip(path, [
          { name: 'mimetype', data: 'application/vnd.oasis.opendocument.text' },
          { name: 'content.xml', data: '<x/>' },
        ]),
      /another office program/,
    ],
    ['a bomb', () => write(' '.repeat(60 * 1024 ** 2)), /larger than 48 MB unpacked/],
  ])('rejects %s', async (_, make, reason) => {
    make();
    await expect(readTable(path)).rejects.toMatchObject({
      code: 'unsupported_file',
      message: expect.stringMatching(reason),
    });
  });
});
