import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const blockBytes = 256 * 1024;

/**
 * Copies a log to its archive and empties it, without its writers noticing: they hold it open for appending. Of a file
 * longer than `keepBytes` only its end is kept. The last part is copied and the file emptied in one go, in a moment when
 * nothing is written if there is one: what a writer writes between the last look and the emptying is lost.
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
      await sleep(0);
    }
    renameSync(aside, archive);
    await quietMoment(log);
    // From here on nothing slow stands between the last look and the emptying.
    for (let length = 1; length > 0; offset += length) {
      length = readSync(log, block, 0, blockBytes, offset);
      writeSync(copy, block, 0, length);
    }
    ftruncateSync(log, 0);
  } finally {
    closeSync(copy);
  }
  return base;
}

/** Waits until the file does not grow for some milliseconds, or until it is plain that its writer makes no pause. */
async function quietMoment(log: number): Promise<void> {
  for (let looks = 0; looks < 40; looks += 1) {
    const before = fstatSync(log).size;
    await sleep(5);
    if (fstatSync(log).size === before) return;
  }
}
