import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' }) => void;

/**
 * Compressed output is a third of the input, so ~8 MiB of garbage builds up between collections; one takes less than a
 * millisecond.
 */
const everyBytes = 2 * 1024 ** 2;
let collect: Collect | undefined;

/**
 * Counts bytes of a stream and collects the used chunks. V8 counts only its own heap, where a 64 KiB chunk is a small object:
 * without this, about 50 MB of used chunks build up.
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
