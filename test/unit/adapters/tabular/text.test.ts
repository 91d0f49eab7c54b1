import { afterAll, describe, expect, test } from '@jest/globals';
import { readContent, readTable, scratch } from './read-table.ts';

const { file, remove } = scratch();
afterAll(remove);
const path = file('list.csv');
const read = (content: string | Uint8Array) => readContent(path, content);

const people = 'First,Last,City\nJosé,Núñez,Cañon City\nAnn,Lee,Bath\n';
const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();

describe('encodings', () => {
  test.each<[string, Uint8Array, string]>([
    ['UTF-8', Buffer.from(people), 'utf-8'],
    ['UTF-8 with byte order mark', Buffer.from(`\uFEFF${people}`), 'utf-8'],
    ['UTF-16 LE with byte order mark', Buffer.from(`\uFEFF${people}`, 'utf16le'), 'utf-16le'],
    ['UTF-16 BE with byte order mark', utf16be(`\uFEFF${people}`), 'utf-16be'],
    ['UTF-16 LE without', Buffer.from(people, 'utf16le'), 'utf-16le'],
    ['UTF-16 BE without', utf16be(people), 'utf-16be'],
    ['Latin-1', Buffer.from(people, 'latin1'), 'windows-1252'],
  ])('%s', async (_, content, encoding) => {
    const table = await read(content);
    expect(table.layout.encoding).toBe(encoding);
    expect(table.layout.headers).toEqual(['First', 'Last', 'City']);
    expect(table.cells).toEqual([
      ['José', 'Núñez', 'Cañon City'],
      ['Ann', 'Lee', 'Bath'],
    ]);
  });

  test('all of Windows-1252', async () => {
    const bytes = Buffer.from(Array.from({ length: 128 }, (_, at) => 128 + at));
    const table = await read(Buffer.concat([Buffer.from('Name,Note\nAnn,'), bytes, Buffer.from('\n')]));
    const upper = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
    const latin = String.fromCharCode(...Array.from({ length: 96 }, (_, at) => 160 + at));
    expect(table.cells).toEqual([['Ann', upper + latin]]);
  });

  test('Mac Roman, for words with letters that Windows-1252 lacks', async () => {
    const mac = 'First,Last\rJos\x8e,Hern\x87ndez\rRen\x8e,N\x9c\x96ez\rDon\xd5t Know,P\x8erez\r';
    const table = await read(Buffer.from(mac, 'latin1'));
    expect(table.layout.encoding).toBe('macintosh');
    expect(table.cells).toEqual([
      ['José', 'Hernández'],
      ['René', 'Núñez'],
      ['Don’t Know', 'Pérez'],
    ]);
  });

  test.each<[string, string]>([
    [
      'dashes, apostrophes, quotes and œ within words',
      'Ann\x92s c\x9cur pick\x96up said\x97that \x93so\x94 don\x92t n\x9cud\n',
    ],
    ['š, ž, Š and Ž', 'Du\x9aan \x8auster, Ljubi\x9aa \x8eagar, Bla\x9eek Nova\x9a\n'],
    ['letters of both, mostly Mac Roman', 'Ren\x8e Andr\x8e Jos\x8e, Zo\xeb M\xfcller Bj\xf8rn\n'],
    ['one ambiguous word', 'Jos\x8e,Lee\n'],
    ['letters of DOS', 'P\x82rez, Fran\x87ois, N\xa3\xa4ez, Garc\xa1a, L\xa2pez, Fran\x87oise, Gar\x87on\n'],
  ])('does not take %s for Mac Roman', async (_what, rows) => {
    const table = await read(Buffer.from(`First,Last\n${rows}`, 'latin1'));
    expect(table.layout.encoding).toBe('windows-1252');
  });

  test('detects an encoding by a first accented letter late in the file', async () => {
    const plain = 'Ann,Lee\n'.repeat(60_000);
    const latin = await read(Buffer.from(`First,Last\n${plain}Zoë,Lee\n`, 'latin1'));
    expect(latin.layout.encoding).toBe('windows-1252');
    expect(latin.cells.at(-1)).toEqual(['Zoë', 'Lee']);
    const utf8 = await read(`First,Last\n${plain}Zoë,Lee\n`);
    expect(utf8.layout.encoding).toBe('utf-8');
    expect(utf8.cells.at(-1)).toEqual(['Zoë', 'Lee']);
  });

  test('decodes characters across chunk boundaries', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => `${'é€😀'.repeat(at % 5)}${at}`);
    for (const encoding of ['utf8', 'utf16le'] as const) {
      const table = await read(
        Buffer.from(`\uFEFFName,Number\n${rows.map((row, at) => `${row},${at}\n`).join('')}`, encoding),
      );
      expect(table.cells.map(([name]) => name)).toEqual(rows);
    }
  });

  test('keeps UTF-8 with a few broken bytes, and reports them', async () => {
    const table = await read(
      Buffer.concat([Buffer.from(`Name,City\n${'Zoë,Köln\n'.repeat(50)}`), Buffer.from('Zo\xeb,Bath\n', 'latin1')]),
    );
    expect(table.layout.encoding).toBe('utf-8');
    expect(table.cells.at(-1)).toEqual(['Zo\uFFFD', 'Bath']);
    expect(table.warnings.join()).toContain('1 bytes of the file are no characters');
  });
});

describe('delimiters', () => {
  test.each([',', ';', '\t', '|', '^'])('%j', async (delimiter) => {
    const table = await read(
      `Name,City;x\n`.replace(',', delimiter).replace(';x', '') +
        `"Lee${delimiter} Ann"${delimiter}Bath\nBob${delimiter}Rome\n`,
    );
    expect(table.layout.delimiter).toBe(delimiter);
    expect(table.cells).toEqual([
      [`Lee${delimiter} Ann`, 'Bath'],
      ['Bob', 'Rome'],
    ]);
  });

  test('ignores a delimiter inside other cells', async () => {
    const table = await read('Name;Address;Score\nAnn;1 Main St, Apt 2, Rome;1,5\nBob;2 Main St, Apt 3, Bath;2,5\n');
    expect(table.layout.delimiter).toBe(';');
    expect(table.cells[1]).toEqual(['Bob', '2 Main St, Apt 3, Bath', '2,5']);
  });

  test('takes a caret that does not split every row for a character', async () => {
    const odd = await read('Name,Note\nAnn,^1^\nBob,"x, y^z"\n');
    expect(odd.layout.delimiter).toBe(',');
    const alone = await read('Note\na^b\nc^d\n');
    expect(alone.cells).toEqual([['a^b'], ['c^d']]);
    const rare = await read('Name^Address\nAnn^1 Main St, Apt 2, Rome\nBob^2 Main St, Apt 3, Bath\n');
    expect(rare.cells[1]).toEqual(['Bob', '2 Main St, Apt 3, Bath']);
  });

  test('applies Excel’s line sep= and does not count it', async () => {
    const table = await read('\uFEFFsep=;\r\nName;City\r\nAnn;Bath, Rome\r\n');
    expect(table.layout).toMatchObject({ delimiter: ';', headerRow: 1, headers: ['Name', 'City'] });
    expect(table.cells).toEqual([['Ann', 'Bath, Rome']]);
    const wide = await read(Buffer.from('\uFEFFsep=|\r\nName|City\r\nAnn|Bath\r\n', 'utf16le'));
    expect(wide.cells).toEqual([['Ann', 'Bath']]);
  });

  test('reads a list of one column', async () => {
    const table = await read('E-mail\nann@example.org\nbob@example.org');
    expect(table.layout).toMatchObject({ headers: ['E-mail'], headerRow: 1 });
    expect(table.cells).toEqual([['ann@example.org'], ['bob@example.org']]);
  });
});

describe('rows', () => {
  test.each(['\n', '\r\n', '\r'])('line ends %j, also inside quoted cells', async (end) => {
    const table = await read(['Name,Note', '"Lee ""Al"" Ann","one\ntwo"', 'Bob,x', ''].join(end));
    expect(table.cells).toEqual([
      ['Lee "Al" Ann', 'one\ntwo'],
      ['Bob', 'x'],
    ]);
    expect(table.rows.map(({ number, fileRow }) => [number, fileRow])).toEqual([
      [1, 2],
      [2, 3],
    ]);
  });

  test('mixed line ends', async () => {
    const table = await read('Name,City\r\nAnn,Bath\nBob,Rome\r\nCarl,Oslo');
    expect(table.cells.map(([name]) => name)).toEqual(['Ann', 'Bob', 'Carl']);
  });

  test('reports ragged rows, and fills short ones', async () => {
    const table = await read('First,Last,City\nAnn,Lee\nBob,Ray,Rome,x\nCarl,Poe,Oslo,\nDora,Mae,Bonn\nEve,Fay,Kyiv\n');
    expect(table.rows.map(({ problem }) => problem)).toEqual([
      'too_few_cells',
      'too_many_cells',
      undefined,
      undefined,
      undefined,
    ]);
    expect(table.cells[0]).toEqual(['Ann', 'Lee', '']);
    expect(table.cells[1]).toEqual(['Bob', 'Ray', 'Rome', 'x']);
    expect(table.warnings).toEqual(['2 row(s) have more or fewer cells than there are headers.']);
  });

  test('skips blank rows without counting them, but keeps line numbers', async () => {
    const table = await read('Name,City\n\nAnn,Bath\n , \n,,,\nBob,Rome\n\n');
    expect(table.rowCount).toBe(2);
    expect(table.rows.map(({ number, fileRow }) => [number, fileRow])).toEqual([
      [1, 3],
      [2, 6],
    ]);
  });

  test('keeps unexpected quotation marks', async () => {
    const table = await read('Name,Note\nAnn,5" pipe\nBob "Al" Ray,"x" y\nCarl,ok\n');
    expect(table.cells).toEqual([
      ['Ann', '5" pipe'],
      ['Bob "Al" Ray', '"x" y'],
      ['Carl', 'ok'],
    ]);
  });

  test('accepts blanks between a delimiter and a quotation mark', async () => {
    const table = await read('First, Last, Note\n"Ann", "Lee", "Bath, Avon"\nBob, Ray, ""\n , ,5" pipe\n');
    expect(table.layout.headers).toEqual(['First', 'Last', 'Note']);
    expect(table.cells).toEqual([
      ['Ann', 'Lee', 'Bath, Avon'],
      ['Bob', 'Ray', ''],
      ['', '', '5" pipe'],
    ]);
  });

  test('keeps empty cells between tabs', async () => {
    const table = await read('First\tMiddle\tLast\nAnn\t\tLee\n\t\tRay\n\t \t"Poe"\n');
    expect(table.cells).toEqual([
      ['Ann', '', 'Lee'],
      ['', '', 'Ray'],
      ['', '', 'Poe'],
    ]);
  });

  test('takes one unclosed quotation mark for text where no cell is quoted', async () => {
    const rows = Array.from({ length: 500 }, (_, at) => `Ann${at}\tBath\t${at}`).join('\n');
    const table = await read(`Name\tCity\tNumber\n"Quote\tRome\t1\n${rows}\n`);
    expect(table.layout.quotes).toBe(false);
    expect(table.rowCount).toBe(501);
    expect(table.cells[0]).toEqual(['"Quote', 'Rome', '1']);
    expect(table.warnings.join()).toContain('The quotation mark that opens a cell in row 2 is not closed');
  });

  test('reports the row of an unclosed quotation mark where cells are quoted', async () => {
    const rows = Array.from({ length: 500 }, (_, at) => `Ann${at},"Bath, Avon"`).join('\n');
    await expect(read(`Name,City\n${rows}\nBob,"Rome\n`)).rejects.toMatchObject({
      code: 'unsupported_file',
      message: 'The quotation mark that opens a cell in row 502 is not closed',
    });
  });
});

describe('headers', () => {
  test('finds them below a title and blank rows', async () => {
    const table = await read(
      'Walk list: Precinct 7\n\nPrinted 2024-05-31,,\nFirst,Last,ZIP\nAnn,Lee,02138\nBob,Ray,02139\n',
    );
    expect(table.layout).toMatchObject({ headerRow: 4, firstRow: 5, headers: ['First', 'Last', 'ZIP'] });
    expect(table.rows[0]).toMatchObject({ number: 1, fileRow: 5, cells: ['Ann', 'Lee', '02138'] });
    expect(table.warnings).toEqual(['2 title rows above row 4 are left out.']);
  });

  test.each([
    ['names of groups', 'Voter,,Contact,,Address', 2],
    ['names of groups in each column', 'Voter,Voter,Contact,Contact,Address', 2],
    ['who exported it and when', 'Exported by,Ann Lee,on,2024-05-31,Precinct 7', 2],
    ['labels and values in two columns', 'Report:,Voters,,,\nPrinted:,2024-05-31,,,\nBy:,Ann Lee,by,request,', 4],
  ])('finds them below a row that is nearly as full: %s', async (_, above, headerRow) => {
    const rows = 'Ann,Lee,703-555-0123,ann@example.org,02138\nBob,Ray,703-555-0124,bob@example.org,02139\n';
    const table = await read(`${above}\nFirst,Last,Phone,Email,ZIP\n${rows}`);
    expect(table.layout).toMatchObject({ headerRow, headers: ['First', 'Last', 'Phone', 'Email', 'ZIP'] });
    expect(table.rowCount).toBe(2);
  });

  test('accepts a precinct named like the start of a Parquet file', async () => {
    const table = await read('PAR1,First,Last\n12,Ann,Lee\n13,Bob,Ray\n');
    expect(table.layout.headers).toEqual(['PAR1', 'First', 'Last']);
  });

  test('takes answers that look like headers for data', async () => {
    const table = await read('Volunteer?,Yard sign?,Call?,Drive?\nNo,No,Home,No\nNo,Cell,No,No\n');
    expect(table.layout.headerRow).toBe(1);
  });

  test('ignores the same headers repeated among the rows', async () => {
    const table = await read('First,Last,Phone,Foo\nAnn,Lee,703-555-0123,x\nFirst,Last,Phone,Foo\n');
    expect(table.layout.headerRow).toBe(1);
  });

  test('decides by the values if there are none', async () => {
    const table = await read('Ann,Lee,ann@example.org,02138\nBob,Ray,bob@example.org,02139\n');
    expect(table.layout).toMatchObject({ headerRow: null, firstRow: 1 });
    expect(table.layout.headers).toEqual(['Column A', 'Column B', 'Column C', 'Column D']);
    expect(table.rowCount).toBe(2);
    expect(table.warnings.join()).toContain('no header row');
  });

  test('finds none among nothing but names', async () => {
    const table = await read('Ann,Lee,VA\nBob,Ray,VA\nCarl,Poe,VA\nDora,Mae,MD\n');
    expect(table.layout.headerRow).toBeNull();
  });

  test('takes a single row of values for data', async () => {
    const table = await read('Ann,Lee,ann@example.org,703-555-0123\n');
    expect(table.rowCount).toBe(1);
  });

  test('accepts a file of headers only', async () => {
    const table = await read('EMAIL;LASTNAME;FIRSTNAME');
    expect(table).toMatchObject({
      rowCount: 0,
      layout: { delimiter: ';', headers: ['EMAIL', 'LASTNAME', 'FIRSTNAME'] },
    });
  });

  test('takes a year above a column for a header', async () => {
    const table = await read('Name,2020,2022\nAnn,Y,N\nBob,N,Y\n');
    expect(table.layout).toMatchObject({ headerRow: 1, headers: ['Name', '2020', '2022'] });
  });

  test('makes empty and repeated ones unique', async () => {
    const table = await read('Phone,,phone,Phone,Phone (2),"Home\nAddress"\n1,2,3,4,5,6\n');
    expect(table.layout.headers).toEqual([
      'Phone',
      'Column B',
      'phone (2)',
      'Phone (3)',
      'Phone (2) (2)',
      'Home Address',
    ]);
    expect(table.warnings.join()).toContain('Column B, phone (2)');
  });

  test('adds columns for data wider than the headers', async () => {
    const table = await read('Name,City\nAnn,Bath,x\nBob,Rome,y\n');
    expect(table.layout.headers).toEqual(['Name', 'City', 'Column C']);
    expect(table.rows.every(({ problem }) => problem === undefined)).toBe(true);
  });

  test('keeps all data rows if headers cover less than half of the columns', async () => {
    const table = await read('First,Last\nAnn,Lee,Bath,x,1\nBob,Ray,Rome,y,2\n');
    expect(table.layout).toMatchObject({
      headerRow: 1,
      headers: ['First', 'Last', 'Column C', 'Column D', 'Column E'],
    });
    expect(table.rowCount).toBe(2);
  });

  test('skips a title of two cells above headers in another language', async () => {
    const table = await read('Liste,2024-05-31\nVorname,Nachname,Strasse,Ort,Tel\nEva,Lang,Weg 1,Bern,031 555 01 01\n');
    expect(table.layout.headerRow).toBe(2);
  });

  test('drops empty columns at the end', async () => {
    const table = await read('Name,City,,\nAnn,Bath,,\nBob,Rome,,\n');
    expect(table.layout.headers).toEqual(['Name', 'City']);
    expect(table.rows.every(({ problem }) => problem === undefined)).toBe(true);
  });

  test('takes no data row for a title in a table without headers', async () => {
    const table = await read(
      'Ann,,,\nBob,bob@example.org,02139,703-555-0123\nCarl,carl@example.org,02139,703-555-0123\n',
    );
    expect(table.layout.headerRow).toBeNull();
  });
});

test('reports a missing file as such, not as invalid content', async () => {
  await expect(readTable(file('gone.csv'))).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a text has no sheets to choose from', async () => {
  await read(people);
  await expect(readTable(path, 'People')).rejects.toMatchObject({
    code: 'validation_error',
    issues: [{ path: 'sheet' }],
  });
});

test('an abort ends the reading', async () => {
  const { examineTable } = await import('../../../../src/adapters/tabular/tabular.ts');
  await read(people);
  await expect(examineTable(path, { sampleRows: 1, signal: AbortSignal.abort() })).rejects.toMatchObject({
    name: 'AbortError',
  });
});
