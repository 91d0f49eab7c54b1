import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { type StoredChecks, storedChecks } from './history.ts';

/** After this many tenants (3 KB each), serializing yields to the event loop. */
const batchSize = 50;

/** Stores the last checks of all tenants across restarts, one line of JSON per tenant. */
export interface HistoryFile {
  /** Yields one tenant at a time; nothing if there is no file. @throws if the file is damaged */
  read(): AsyncIterable<StoredChecks>;
  write(histories: Iterable<StoredChecks>): Promise<void>;
}

export const createHistoryFile = (path: string): HistoryFile => ({
  async *read() {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return '';
      throw error;
    });
    for (const line of text.split('\n')) {
      if (line !== '') yield storedChecks.parse(JSON.parse(line));
    }
  },
  async write(histories) {
    const lines: string[] = [];
    for (const history of histories) {
      lines.push(`${JSON.stringify(history)}\n`);
      if (lines.length % batchSize === 0) await setImmediate();
    }
    await writeFileAtomic(path, lines.join(''));
  },
});
