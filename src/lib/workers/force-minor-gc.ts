import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' }) => void;

/** Packed rows are a third of what was read for them: some 8 MiB stand in between, and a collection takes less than a millisecond. */
const everyBytes = 2 * 1024 ** 2;
let collect: Collect | undefined;

/**
 * Counts bytes of a stream, and clears away the chunks that were used. V8 collects by the size of JavaScript's own objects, and a
 * chunk is a small one with 64 KiB beside it: left alone, some fifty megabytes of used chunks stand there before it looks.
 */
export function forceMinorGcByBytes(): (bytes: number) => void {
  let since = 0;
  return (bytes) => {
    since += bytes;
    if (since < everyBytes) return;
    since = 0;
    collect ??= minorCollection();
    collect({ type: 'minor' });
  };
}

function minorCollection(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
