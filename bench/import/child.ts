/**
 * The peer of the benchmark import, in a child process: only the libraries, which read the same file and ignore the rows. It also
 * creates the workbook, which needs more memory than the benchmark's process should use.
 */
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parse } from 'csv-parse';
import { SaxesParser } from 'saxes';
import { utils, write } from 'xlsx';
import { openPromise } from 'yauzl';
import { cellsOf, headers } from './voter-list.ts';

export type ChildTask =
  | { what: 'csv-parse'; path: string }
  | { what: 'unzip and saxes'; path: string }
  | { what: 'make workbook'; path: string; rows: number };

const work: { [what in ChildTask['what']]: (task: ChildTask & { what: what }) => Promise<void> } = {
  async 'csv-parse'({ path }) {
    let rows = 0;
    for await (const row of createReadStream(path).pipe(parse({ bom: true }))) rows += row.length > 0 ? 1 : 0;
    if (rows === 0) throw new Error('No rows were read');
  },
  async 'unzip and saxes'({ path }) {
    const zip = await openPromise(path, { lazyEntries: true });
    for await (const entry of zip.eachEntry()) {
      if (!/^xl\/(sharedStrings|worksheets\/sheet1)\.xml$/.test(entry.fileName)) continue;
      const parser = new SaxesParser();
      const decoder = new TextDecoder();
      for await (const chunk of await zip.openReadStreamPromise(entry))
        parser.write(decoder.decode(chunk, { stream: true }));
      parser.close();
    }
  },
  async 'make workbook'({ path, rows }) {
    const book = utils.book_new();
    const all = [headers, ...Array.from({ length: rows }, (_, row) => cellsOf(row))];
    utils.book_append_sheet(book, utils.aoa_to_sheet(all, { dense: true }), 'Voters');
    await writeFile(
      path,
      write(book, { type: 'buffer', bookType: 'xlsx', bookSST: true, compression: true }) as Buffer,
    );
  },
};

process.once('message', async (task: ChildTask) => {
  const began = performance.now();
  await work[task.what](task as never);
  process.send?.((performance.now() - began) / 1000, () => process.disconnect());
});
