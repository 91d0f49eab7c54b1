import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { deflateRawSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import * as XLSX from 'xlsx';
import { AppError } from '../../../../src/lib/errors.ts';
import { runTask } from '../../../../src/lib/workers/worker-task.ts';
import { patienceMs } from '../../../harness/patience.ts';
import { readContent, readTable, scratch } from './read-table.ts';
import { textRow, writeXlsx, xlsxParts } from './xlsx-file.ts';
import { writeZip } from './zip-file.ts';

const { file, remove } = scratch();
afterAll(remove);
const path = file('list.xlsx');

async function refusal(reading: Promise<unknown>): Promise<string> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toMatchObject({ code: 'unsupported_file' });
  return error instanceof AppError ? error.message : '';
}

const compound = (name: string): Buffer => {
  const container = XLSX.CFB.utils.cfb_new();
  XLSX.CFB.utils.cfb_add(container, name, Buffer.from('x'.repeat(100)));
  return Buffer.from(XLSX.CFB.write(container, { type: 'buffer' }) as Uint8Array);
};

describe('rejects what is not a table, with the reason', () => {
  test.each<[string, string | Buffer, RegExp]>([
    ['an empty file', '', /is empty/],
    ['a byte order mark alone', '\uFEFF', /is empty/],
    ['blank lines alone', ' \n\n\t\n', /is empty/],
    ['delimiters alone', ',,,\n,,,\n', /has no rows/],
    ['a PDF', '%PDF-1.7\n1 0 obj', /is a PDF/],
    ['a PNG', Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), /is a PNG picture/],
    ['a JPEG', Buffer.from('\xff\xd8\xff\xe0', 'latin1'), /is a JPEG/],
    ['gzip', Buffer.from('\x1f\x8b\x08\0', 'latin1'), /is a gzip archive/],
    ['an HTML table named .xls', '\uFEFF <!DOCTYPE html><table><tr><td>Ann</td></tr></table>', /is an HTML page/],
    ['a bare HTML table', '<table border=1><tr><td>Ann', /is an HTML page/],
    ['an XML spreadsheet', '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?><Workbook/>', /Excel 2003/],
    ['JSON', '[{"name": "Ann"}]', /is a JSON document/],
    ['a Parquet file', Buffer.from('PAR1\x15\x04\x15\x10', 'latin1'), /is a Parquet file/],
    ['a vCard', 'BEGIN:VCARD\nFN:Ann\nEND:VCARD', /is a vCard/],
    ['random bytes', Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7919 + (at >> 3)) % 256)), /neither/],
    ['an encrypted workbook', compound('EncryptedPackage'), /protected by a password/],
    ['a Word document of old', compound('WordDocument'), /is a Word document/],
    ['another compound file', compound('Something'), /without a workbook/],
    ['the beginning of a compound file', compound('Workbook').subarray(0, 600), /damaged|empty/],
    ['the beginning of an archive', Buffer.from('PK\x03\x04 and nothing more'), /damaged/],
  ])('%s', async (_, content, reason) => {
    expect(await refusal(readContent(path, content))).toMatch(reason);
  });

  test.each<[string, { name: string; data: string; encrypted?: boolean }[], RegExp]>([
    ['a Word document', [{ name: 'word/document.xml', data: '<x/>' }], /is a Word document/],
    ['a binary workbook', [{ name: 'xl/workbook.bin', data: 'x' }], /binary workbook/],
    ['an archive of lists', [{ name: 'list.csv', data: 'Name,City\nAnn,Bath' }], /is a ZIP archive/],
    ['an encrypted archive', [{ name: 'xl/workbook.xml', data: 'x', encrypted: true }], /protected by a password/],
    ['a workbook without its parts', [{ name: '[Content_Types].xml', data: '<x/>' }], /incomplete|damaged/],
  ])('%s', async (_, parts, reason) => {
    writeZip(path, parts);
    expect(await refusal(readTable(path))).toMatch(reason);
  });

  test('an archive with more parts than a workbook has', async () => {
    writeZip(
      path,
      Array.from({ length: 10_001 }, (_, at) => ({ name: `xl/${at}.xml`, data: '' })),
    );
    expect(await refusal(readTable(path))).toMatch(/10001 parts/);
  });
});

describe('rejects what is too large, with the limit', () => {
  const rows = (inner: string): void =>
    writeXlsx(path, { sheets: [{ name: 'One', rows: textRow('Name', 'City') + inner }] });

  test('16,384 columns', async () => {
    writeXlsx(path, {
      sheets: [{ name: 'One', rows: textRow(...Array.from({ length: 16_384 }, (_, at) => `c${at}`)) }],
    });
    expect(await refusal(readTable(path))).toMatch(/Row 1 has something in column BXY; at most 2000 columns/);
    expect(await refusal(readContent(path, `${'a,'.repeat(16_383)}a\n`))).toMatch(
      /Row 1 has 16384 columns; at most 2000/,
    );
  });

  test('accepts columns that have only formatting', async () => {
    rows('<row r="2"><c r="A2" t="str"><v>Ann</v></c><c r="XFD2" s="1"/></row>');
    expect((await readTable(path)).cells).toEqual([['Ann', '']]);
  });

  test('a cell of 10 MB', async () => {
    const long = 'x'.repeat(10 * 1024 ** 2);
    rows(textRow('Ann', long));
    expect(await refusal(readTable(path))).toMatch(/larger than 2 MB/);
    writeXlsx(path, {
      strings: `<si><t>${'x'.repeat(200_000)}</t></si>`,
      sheets: [{ name: 'One', rows: textRow('A') }],
    });
    expect(await refusal(readTable(path))).toMatch(/200000 characters; at most 100000/);
    rows(textRow('Ann', 'x'.repeat(200_000)));
    expect(await refusal(readTable(path))).toMatch(/row 2 has 200000 characters/);
    expect(await refusal(readContent(path, `Name,City\nAnn,${'x'.repeat(200_000)}\n`))).toMatch(
      /row 2 has 200000 characters/,
    );
    expect(await refusal(readContent(path, `Name,City\nAnn,"${long}"\n`))).toMatch(/row 2|Row 2/);
  });

  test('an endless line', async () => {
    expect(await refusal(readContent(path, 'x'.repeat(3 * 1024 ** 2)))).toMatch(
      /Row 1 is longer than 2,000,000 characters/,
    );
    expect(await refusal(readContent(path, '"'.repeat(3 * 1024 ** 2 + 1)))).toMatch(/not closed|longer/);
  });

  test('a sheet that declares 5 GB', async () => {
    const parts = xlsxParts({ sheets: [{ name: 'One', rows: textRow('A') }] });
    writeZip(
      path,
      parts.map((part) => ({ ...part, ...(part.name.includes('sheet1') ? { size: 4_000_000_000 } : {}) })),
    );
    expect(await refusal(readTable(path))).toMatch(/larger than 2048 MB unpacked/);
  });

  test('a part that is larger than declared', async () => {
    const parts = xlsxParts({ sheets: [{ name: 'One', rows: textRow('A') }] });
    writeZip(
      path,
      parts.map((part) => ({ ...part, ...(part.name.includes('sheet1') ? { size: 10 } : {}) })),
    );
    expect(await refusal(readTable(path))).toMatch(/damaged/);
  });

  test('a zip bomb among the small parts', async () => {
    writeXlsx(path, { styles: ' '.repeat(40 * 1024 ** 2), sheets: [{ name: 'One', rows: textRow('A') }] });
    expect(await refusal(readTable(path))).toMatch(/styles.xml is larger than 32 MB/);
  });

  test('too many distinct texts', async () => {
    const strings = `<si><t>${'x'.repeat(50_000)}</t></si>`.repeat(2_400);
    writeXlsx(path, { strings, sheets: [{ name: 'One', rows: textRow('A') }] });
    expect(await refusal(readTable(path))).toMatch(/too many different texts/);
  });

  test('archives nested in archives', async () => {
    const inner = deflateRawSync(deflateRawSync(Buffer.alloc(10 * 1024 ** 2))).toString('latin1');
    writeXlsx(path, { sheets: [{ name: 'One', rows: inner }] });
    expect(await refusal(readTable(path))).toMatch(/damaged/);
  });
});

describe('rejects malicious XML', () => {
  const lol = '<!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">]>';
  const outside = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>';
  test.each([
    [
      'entity expansion',
      `<?xml version="1.0"?>${lol}<worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>`,
    ],
    [
      'external entities',
      `<?xml version="1.0"?>${outside}<worksheet><sheetData><row><c t="str"><v>&a;</v></c></row></sheetData></worksheet>`,
    ],
    [
      'an undeclared entity',
      '<?xml version="1.0"?><worksheet><sheetData><row><c t="str"><v>&b;</v></c></row></sheetData></worksheet>',
    ],
    ['tags that do not match', '<?xml version="1.0"?><worksheet><sheetData><row><c></row></sheetData></worksheet>'],
    ['a truncated document', '<?xml version="1.0"?><worksheet><sheetData><row><c t="str"><v>x</v>'],
    [
      'a text that is not there',
      '<?xml version="1.0"?><worksheet><sheetData><row><c t="s"><v>5</v></c></row></sheetData></worksheet>',
    ],
  ])('%s', async (_, rows) => {
    writeXlsx(path, { sheets: [{ name: 'One', rows }] });
    expect(await refusal(readTable(path))).toMatch(/damaged|document type/);
  });

  test('a tree that is too deep', async () => {
    writeXlsx(path, { sheets: [{ name: 'One', rows: `<?xml version="1.0"?>${'<a>'.repeat(500_000)}` }] });
    expect(await refusal(readTable(path))).toMatch(/deeper than 100/);
  });
});

describe('in a thread with a limited heap', () => {
  const entry = new URL('read-entry.ts', import.meta.url);
  const outOfMemory = (): AppError => new AppError('unsupported_file', 'needs too much memory');

  test('reports a few bytes that expand to more than the heap', async () => {
    const cell =
      '<table:table-cell office:value-type="string" table:number-columns-repeated="900"><text:p>Ann</text:p></table:table-cell>';
    const row = `<table:table-row table:number-rows-repeated="1000000">${cell}</table:table-row>`;
    const body = `<office:body><office:spreadsheet><table:table table:name="One">${row}</table:table></office:spreadsheet></office:body>`;
    writeZip(path, [
      { name: 'mimetype', data: 'application/vnd.oasis.opendocument.spreadsheet' },
      { name: 'META-INF/manifest.xml', data: '<manifest/>' },
      { name: 'styles.xml', data: '<office:document-styles/>' },
      { name: 'content.xml', data: `<office:document-content>${body}</office:document-content>` },
    ]);
    const reading = runTask(entry, [path], { heapMb: 64, processorMs: patienceMs, outOfMemory });
    await expect(reading).rejects.toMatchObject({ code: 'unsupported_file', message: 'needs too much memory' });
  });

  test('the manager stays responsive and small while a large list is read', async () => {
    const out = createWriteStream(path);
    out.write('Name,City,Note\n');
    for (let part = 0; part < 12; part++) {
      if (!out.write(`Ann,Bath,"one, two ${part}"\n`.repeat(50_000))) await once(out, 'drain');
    }
    out.end();
    await once(out, 'close');
    const outcomes: unknown[] = [];
    const before = process.memoryUsage().rss;
    let most = 0;
    let turns = 0;
    const watch = setInterval(() => {
      turns += 1;
      most = Math.max(most, process.memoryUsage().rss - before);
    }, 10);
    await runTask(entry, [path], {
      heapMb: 64,
      processorMs: patienceMs,
      onMessage: (outcome) => void outcomes.push(outcome),
    });
    clearInterval(watch);
    expect(outcomes).toEqual([{ path, counted: 600_000, read: 600_000 }]);
    // If reading blocked this thread, there would be hardly any.
    expect(turns).toBeGreaterThan(20);
    expect(most).toBeLessThan(150 * 1024 ** 2);
  });
});
