import { examineTable, readRows } from '../../../../src/adapters/tabular/tabular.ts';
import { messageOf } from '../../../../src/lib/errors.ts';
import { serveTask } from '../../../../src/lib/workers/serve.ts';

interface Outcome {
  path: string;
  /** Counted and read rows; or the error. */
  counted?: number;
  read?: number;
  code?: string | undefined;
  message?: string;
}

/** Reads files one after another in a thread and reports each result; a thread's entry, not a suite. */
serveTask(async (paths: string[], send: (outcome: Outcome) => Promise<void>) => {
  for (const path of paths) await send(await outcomeOf(path));
});

async function outcomeOf(path: string): Promise<Outcome> {
  try {
    const { layout, rowCount } = await examineTable(path, { sampleRows: 3 });
    let read = 0;
    for await (const rows of readRows(path, layout)) {
      for (const { cells } of rows)
        if (cells.length < layout.headers.length || cells.some((cell) => typeof cell !== 'string'))
          throw new Error('a row is not whole');
      read += rows.length;
    }
    return { path, counted: rowCount, read };
  } catch (error) {
    return { path, code: (error as { code?: string }).code, message: messageOf(error) };
  }
}
