import { appendFileSync, type FSWatcher, readFileSync, statSync, truncateSync, watch, writeFileSync } from 'node:fs';

/** How many bytes of the log had been written at which time (ms since 1970, 0: unknown); stored as two doubles. */
interface Mark {
  end: number;
  time: number;
}

const markBytes = 16;
/** Minimum time between marks, in ms. */
const markEveryMs = 10;
/** Maximum marks of a log: beyond it, some of the closest ones are removed. */
const usualMarks = 4_096;

/**
 * When the lines of a log were written. Units append to their log themselves, so the manager watches the file and records the
 * times at which it grew in a second file. What was written while no manager ran gets the time of the log's last change; what
 * is older than the first mark has no time.
 */
export class LogTimes {
  readonly #log: string;
  readonly #file: string;
  readonly #most: number;
  /** The end of the last mark; undefined: not read yet. */
  #marked: number | undefined;
  #count = 0;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: string, most = usualMarks) {
    this.#log = log;
    this.#file = timesOf(log);
    this.#most = most;
  }

  /** Records marks until `close`. The log must exist. */
  watch(): void {
    this.mark(true);
    if (this.#watcher) return;
    try {
      this.#watcher = watch(this.#log, { persistent: false }, (event) => {
        this.#changed();
        // Moved or removed: a new file of the name is watched when a unit writes to it.
        if (event === 'rename') this.close();
      });
      // When no more files can be watched, the log is marked when it is measured.
      this.#watcher.on('error', () => this.close());
    } catch {
      this.#watcher = undefined;
    }
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  /**
   * Marks what was written since the last mark, with the time of the log's last change: a busy manager notices it later.
   * @param earlier a log without marks is of an earlier manager. Never throws.
   */
  mark(earlier = false): void {
    try {
      const { size, mtimeMs } = statSync(this.#log);
      if (this.#marked === undefined) {
        const marks = read(this.#file);
        this.#count = marks.length;
        const last = marks.at(-1)?.end;
        // A log without marks was written under a manager without this feature.
        if (last === undefined && earlier && size > 0) this.#write(size, 0);
        this.#marked = last ?? (earlier ? size : 0);
      }
      // The file was truncated manually.
      if (size < this.#marked) this.#clear();
      if (size !== this.#marked && size > 0) this.#write(size, mtimeMs);
      this.#marked = size;
    } catch {
      // Lines without a time are better than none: the log itself is still read.
    }
  }

  /** Passes the marks on to the archive, which starts at `base` of the truncated log. */
  moveToArchive(archive: string, base: number): void {
    try {
      const marks = read(this.#file).filter(({ end }) => end > base);
      const moved = marks.map(({ end, time }) => ({ end: end - base, time }));
      const sinceLastMark = { end: statSync(archive).size, time: Date.now() };
      writeFileSync(timesOf(archive), encode([...moved, sinceLastMark]), { mode: 0o600 });
      this.#clear();
    } catch {
      // As above.
    }
    this.#marked = 0;
  }

  #write(end: number, time: number): void {
    if (this.#count >= this.#most) this.#thinOut(end);
    appendFileSync(this.#file, encode([{ end, time }]), { mode: 0o600 });
    this.#count += 1;
    this.#marked = end;
  }

  /** Keeps at most every second mark, evenly over the bytes of the log: bytes between them get the later time. */
  #thinOut(size: number): void {
    const apart = (2 * size) / this.#most;
    let next = apart;
    const kept = read(this.#file).filter(({ end, time }) => {
      if (end < next && time !== 0) return false;
      next = end + apart;
      return true;
    });
    writeFileSync(this.#file, encode(kept), { mode: 0o600 });
    this.#count = kept.length;
  }

  #clear(): void {
    truncateSync(this.#file);
    this.#count = 0;
  }

  #changed(): void {
    if (this.#timer) return;
    this.mark();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.mark();
    }, markEveryMs);
    this.#timer.unref();
  }
}

/** Finds the times of a log's (or an archive's) bytes from `from` on; undefined: unknown. */
export function timesFrom(log: string, from: number): (offset: number) => Date | undefined {
  const marks = read(timesOf(log)).filter(({ end }) => end > from);
  let next = 0;
  /** Offsets must be requested in order. */
  return (offset) => {
    while ((marks[next]?.end ?? Number.POSITIVE_INFINITY) <= offset) next += 1;
    const time = marks[next]?.time ?? 0;
    return time === 0 ? undefined : new Date(time);
  };
}

const timesOf = (log: string): string => `${log}.times`;

/** Skips a mark that a full disk or a crash has cut off. */
function read(path: string): Mark[] {
  try {
    const bytes = readFileSync(path);
    return Array.from({ length: Math.floor(bytes.length / markBytes) }, (_, index) => ({
      end: bytes.readDoubleLE(index * markBytes),
      time: bytes.readDoubleLE(index * markBytes + 8),
    }));
  } catch {
    return [];
  }
}

function encode(marks: readonly Mark[]): Buffer {
  const bytes = Buffer.alloc(marks.length * markBytes);
  for (const [index, { end, time }] of marks.entries())
    bytes.writeDoubleLE(time, bytes.writeDoubleLE(end, index * markBytes));
  return bytes;
}
