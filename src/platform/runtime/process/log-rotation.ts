import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';

const blockBytes = 256 * 1024;

/**
 * Copies a log to its archive and empties it, without its writers noticing: they hold it open for appending. Of a file
 * longer than `keepBytes` only its end is kept. The last part is copied and the file emptied in one go, without giving
 * way, so what a writer could lose is what it writes in that instant.
 * @returns how many bytes at its beginning were left out
 */
export async function moveIntoArchive(log: number, archive: string, keepBytes: number): Promise<number> {
  const base = Math.max(0, fstatSync(log).size - keepBytes);
  const aside = `${archive}.tmp`;
  const copy = openSync(aside, 'w', 0o600);
  try {
    const block = new Uint8Array(blockBytes);
    let offset = base;
    for (;;) {
      const length = readSync(log, block, 0, blockBytes, offset);
      writeSync(copy, block, 0, length);
      offset += length;
      if (length < blockBytes) break;
      await nextTurn();
    }
    for (let length = 1; length > 0; offset += length) {
      length = readSync(log, block, 0, blockBytes, offset);
      writeSync(copy, block, 0, length);
    }
    renameSync(aside, archive);
    ftruncateSync(log, 0);
  } finally {
    closeSync(copy);
  }
  return base;
}
