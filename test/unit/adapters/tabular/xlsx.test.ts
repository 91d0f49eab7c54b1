import { afterAll, describe, expect, test } from '@jest/globals';
import { readTable, scratch } from './read-table.ts';
import { textRow, writeXlsx, xlsxParts } from './xlsx-file.ts';
import { writeZip } from './zip-file.ts';

const { file, remove } = scratch();
afterAll(remove);
// The name has no meaning: the content decides.
const path = file('list.csv');
const header = textRow('Name', 'Value');

/** The displayed text of a cell. */
async function shown(
  cell: string,
  more: Omit<Parameters<typeof writeXlsx>[1], 'sheets'> = {},
): Promise<string | undefined> {
  writeXlsx(path, {
    ...more,
    sheets: [{ name: 'One', rows: `${header}<row><c t="inlineStr"><is><t>x</t></is></c>${cell}</row>` }],
  });
  return (await readTable(path)).cells[0]?.[1];
}

describe('cells', () => {
  const strings =
    '<si><t>plain &amp; simple</t></si><si><r><t>rich</t></r><r><rPr><b/></rPr><t xml:space="preserve"> text</t></r></si>' +
    '<si><t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh></si><si><t>a_x000D_b_x005F_c</t></si><si/>';

  test.each([
    ['shared string', '<c t="s"><v>0</v></c>', 'plain & simple'],
    ['rich text', '<c t="s"><v>1</v></c>', 'rich text'],
    ['without its reading aid', '<c t="s"><v>2</v></c>', '東京'],
    ['escaped characters', '<c t="s"><v>3</v></c>', 'a\rb_c'],
    ['empty shared string', '<c t="s"><v>4</v></c>', ''],
    ['inline string', '<c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c>', 'inline'],
    ['formula’s cached text', '<c t="str"><f>A1&amp;"x"</f><v>Annx</v></c>', 'Annx'],
    ['formula’s cached number', '<c><f>1+1</f><v>2</v></c>', '2'],
    ['formula without a value', '<c><f>1+1</f></c>', ''],
    ['true', '<c t="b"><v>1</v></c>', 'TRUE'],
    ['false', '<c t="b"><v>0</v></c>', 'FALSE'],
    ['error', '<c t="e"><v>#N/A</v></c>', '#N/A'],
    ['ISO date', '<c t="d"><v>2024-05-31T00:00:00</v></c>', '2024-05-31'],
    ['phone number', '<c><v>7035550123</v></c>', '7035550123'],
    ['long number', '<c><v>1.23456789012345E+14</v></c>', '123456789012345'],
    ['very large number', '<c><v>1E+21</v></c>', '1000000000000000000000'],
    ['very small number', '<c><v>1.5E-7</v></c>', '0.00000015'],
    ['noise of binary fractions', '<c><v>0.30000000000000004</v></c>', '0.3'],
    ['what is no number', '<c><v>abc</v></c>', 'abc'],
  ])('%s', async (_, cell, text) => {
    expect(await shown(cell, { strings })).toBe(text);
  });

  const format = (code: string): string =>
    `<numFmts><numFmt numFmtId="170" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs>`;

  test.each([
    ['yyyy\\-mm\\-dd', '45443', '2024-05-31'],
    ['[$-409]d\\-mmm\\-yy;@', '45443', '2024-05-31'],
    ['m/d/yy h:mm', '45443.5', '2024-05-31 12:00'],
    ['dd.mm.yyyy hh:mm:ss', '45443.500011574', '2024-05-31 12:00:01'],
    ['mmm yyyy', '45443', '2024-05-31'],
    ['h:mm AM/PM', '0.75', '18:00'],
    ['[h]:mm', '1.5', '36:00'],
    ['d/m/yyyy', '1', '1900-01-01'],
    ['d/m/yyyy', '60', '1900-02-29'],
    ['d/m/yyyy', '61', '1900-03-01'],
    ['d/m/yyyy', '-5', '-5'],
    ['00000', '2138', '02138'],
    ['0', '12.6', '13'],
    ['0.00', '3.14159', '3.14'],
    ['0%', '0.125', '13%'],
    ['0.0%', '0.125', '12.5%'],
    ['0.00E+00', '7035550123', '7035550123'],
    ['@', '2138', '2138'],
    ['[&lt;=9999999]###\\-####;\\(###\\)\\ ###\\-####', '7035550123', '(703) 555-0123'],
    ['000\\-00\\-0000', '12345678', '012-34-5678'],
    ['&quot;$&quot;#,##0.00', '1234.5', '$1,234.50'],
    ['#,##0', '1234567', '1,234,567'],
    ['[Red]0.0', '2.25', '2.3'],
    ['&quot;day &quot;0', '5', 'day 5'],
    ['General', '5.5', '5.5'],
  ])('format %s of %s', async (code, value, text) => {
    expect(await shown(`<c s="1"><v>${value}</v></c>`, { styles: format(code) })).toBe(text);
  });

  test('a number format longer than a spreadsheet program allows does not lengthen the cell', async () => {
    const styles = format(`0&quot;${'a'.repeat(10_000)}&quot;`);
    expect(await shown('<c s="1"><v>7</v></c>', { styles })).toBe('7');
  });

  test('number formats by id; the 1904 dates', async () => {
    const styles =
      '<cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs><xf/><xf numFmtId="14"/><xf numFmtId="10"/></cellXfs>';
    expect(await shown('<c s="1"><v>45443</v></c>', { styles })).toBe('2024-05-31');
    expect(await shown('<c s="2"><v>0.5</v></c>', { styles })).toBe('50.00%');
    expect(await shown('<c s="9"><v>0.5</v></c>', { styles })).toBe('0.5');
    const workbook = '<workbookPr date1904="1"/>';
    expect(await shown('<c s="1"><v>43981</v></c>', { styles, workbook })).toBe('2024-05-31');
    expect(await shown('<c s="1"><v>0</v></c>', { styles, workbook })).toBe('1904-01-01');
  });
});

describe('sheets', () => {
  const sheets = [
    { name: 'Empty', rows: '<row r="1"/><row r="2"><c s="1"/></row>' },
    { name: 'Secret', rows: textRow('Key'), state: 'hidden' },
    { name: 'Chart', rows: '', type: 'chartsheet' },
    { name: 'People &amp; Co', rows: textRow('Name', 'City') + textRow('Ann', 'Bath') },
    { name: 'Old', rows: textRow('Name') + textRow('Bob') },
  ];

  test('reads the first that is not empty, lists the others, skips hidden ones and charts', async () => {
    writeXlsx(path, { sheets });
    const table = await readTable(path);
    expect(table.layout).toMatchObject({
      format: 'xlsx',
      sheet: 'People & Co',
      sheets: [
        { name: 'Empty', empty: true },
        { name: 'People & Co', empty: false },
        { name: 'Old', empty: false },
      ],
    });
    expect(table.cells).toEqual([['Ann', 'Bath']]);
    expect(table.warnings).toEqual(['Sheet "People & Co" is read; there is also "Old".']);
  });

  test('reads the one chosen by name', async () => {
    writeXlsx(path, { sheets });
    expect((await readTable(path, 'old')).cells).toEqual([['Bob']]);
    await expect(readTable(path, 'New')).rejects.toMatchObject({
      code: 'validation_error',
      issues: [{ path: 'sheet', message: 'there is no sheet "New"; there are "Empty", "People & Co", "Old"' }],
    });
    await expect(readTable(path, 'Empty')).rejects.toMatchObject({ code: 'unsupported_file' });
  });

  test('reports that all are empty', async () => {
    writeXlsx(path, { sheets: [{ name: 'One', rows: '' }] });
    await expect(readTable(path)).rejects.toMatchObject({ code: 'unsupported_file' });
  });
});

describe('rows', () => {
  test('gaps between rows and cells, titles, short rows', async () => {
    writeXlsx(path, {
      sheets: [
        {
          name: 'One',
          rows:
            '<row r="2"><c r="A2" t="inlineStr"><is><t>Members of 2024</t></is></c></row>' +
            '<row r="4"><c r="A4" t="str"><v>First</v></c><c r="B4" t="str"><v>Last</v></c><c r="D4" t="str"><v>ZIP</v></c></row>' +
            '<row r="6"><c r="A6" t="str"><v>Ann</v></c><c r="D6" t="str"><v>02138</v></c></row>' +
            '<row r="9"><c r="B9" t="str"><v>Ray</v></c></row>',
        },
      ],
    });
    const table = await readTable(path);
    expect(table.layout).toMatchObject({ headerRow: 4, firstRow: 5, headers: ['First', 'Last', 'Column C', 'ZIP'] });
    expect(table.rows).toEqual([
      { number: 1, fileRow: 6, cells: ['Ann', '', '', '02138'], problem: undefined },
      { number: 2, fileRow: 9, cells: ['', 'Ray', '', ''], problem: undefined },
    ]);
  });

  test('files of other programs: prefixes, UTF-16, backslashes, absolute targets, other case', async () => {
    const rows =
      '<?xml version="1.0"?><x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData>' +
      '<x:row><x:c t="inlineStr"><x:is><x:t>Name</x:t></x:is></x:c></x:row>' +
      '<x:row><x:c t="inlineStr"><x:is><x:t>Zoë</x:t></x:is></x:c></x:row></x:sheetData></x:worksheet>';
    const parts = xlsxParts({ sheets: [{ name: 'One', rows }] }).map(({ name, data }) => ({
      name: name.replace('worksheets/sheet1', 'Worksheets\\Sheet1').replaceAll('/', '\\'),
      data: name.includes('sheet1')
        ? Buffer.from(`\uFEFF${data.replace('?>', ' encoding="UTF-16"?>')}`, 'utf16le')
        : data,
    }));
    writeZip(path, parts);
    expect((await readTable(path)).cells).toEqual([['Zoë']]);
  });

  test('skips a million empty rows below the list quickly', async () => {
    const empty = Array.from({ length: 1_048_570 }, (_, at) => `<row r="${at + 4}"/>`).join('');
    writeXlsx(path, { sheets: [{ name: 'One', rows: textRow('Name', 'City') + textRow('Ann', 'Bath') + empty }] });
    expect(await readTable(path)).toMatchObject({ rowCount: 1, cells: [['Ann', 'Bath']] });
  });

  test('many rows arrive complete and in order', async () => {
    const count = 20_000;
    const strings = Array.from({ length: count }, (_, at) => `<si><t>Zoë ${at} ${'x'.repeat(at % 90)}</t></si>`).join(
      '',
    );
    const rows = Array.from(
      { length: count },
      (_, at) => `<row><c t="s"><v>${at}</v></c><c><v>${at}</v></c></row>`,
    ).join('');
    writeXlsx(path, { strings, sheets: [{ name: 'One', rows: header + rows }] });
    const { cells } = await readTable(path);
    expect(cells.length).toBe(count);
    expect(
      cells.every(([name, number], at) => name === `Zoë ${at} ${'x'.repeat(at % 90)}` && number === String(at)),
    ).toBe(true);
  });
});
