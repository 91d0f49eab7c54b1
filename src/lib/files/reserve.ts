import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { rm, writeFile } from './changes.ts';

/** For the few rows that a request writes, and the pages and the log that SQLite writes for them. */
const bytes = 4 * 1024 ** 2;

/** Room that is kept on a disk for what makes room on it once it is full. */
export interface Reserve {
  /** Gives the room up. @returns whether there was any */
  release(): Promise<boolean>;
  /** Makes it again, where more than twice as much is free. */
  fill(): Promise<void>;
}

/** A reserve in a file of its own. @param path of that file */
export function createReserve(path: string): Reserve {
  let isThere = false;
  return {
    async release() {
      const was = isThere;
      isThere = false;
      await rm(path, { force: true });
      return was;
    },
    async fill() {
      if (isThere) return;
      const { bavail, bsize } = await statfs(dirname(path));
      if (bavail * bsize < 2 * bytes) return;
      // What an earlier manager left may be shorter.
      await writeFile(path, Buffer.alloc(bytes), { mode: 0o600 });
      isThere = true;
    },
  };
}
