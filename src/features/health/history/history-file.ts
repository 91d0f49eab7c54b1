import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import { type StoredChecks, storedChecks } from './history.ts';

/** So many tenants are written out before others have a turn: 3 KB each. */
const turn = 50;

/** Where the last checks of all tenants outlive the manager: a line of JSON a tenant. */
export interface HistoryFile {
  /** Tenant by tenant; nothing where there is no file. @throws where it is damaged */
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
      if (lines.length % turn === 0) await setImmediate();
    }
    await writeFileAtomic(path, lines.join(''));
  },
});
