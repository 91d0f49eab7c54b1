import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { poll } from '../../../../../lib/concurrency/poll.ts';

const blockBytes = 256 * 1024;

/**
 * Copies a log to its archive and truncates it, unnoticed by its writers: they hold it open for appending. Of a file longer
 * than `keepBytes` only the end is kept. The last part is copied and the file truncated at once, while nothing is written if
 * possible: what is written between the last check and the truncation is lost.
 * @returns the bytes skipped at its beginning
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
      await setImmediate();
    }
    renameSync(aside, archive);
    await quietMoment(log);
    // From here on nothing slow happens between the last check and the truncation.
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

/** Waits until the file does not grow for some milliseconds, or until its writer evidently makes no pause. */
async function quietMoment(log: number): Promise<void> {
  let before: number | undefined;
  const isQuiet = async (): Promise<true | undefined> => {
    const { size } = fstatSync(log);
    if (size === before) return true;
    before = size;
    return undefined;
  };
  await poll(isQuiet, { timeoutMs: 200, intervalMs: 5 });
}
