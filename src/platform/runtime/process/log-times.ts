import {
  appendFileSync,
  closeSync,
  type FSWatcher,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  truncateSync,
  watch,
  writeFileSync,
} from 'node:fs';

/** A mark: up to which byte the log had been written at which moment (ms since 1970, 0: not known), two doubles. */
const markBytes = 16;
/** Marks are at least so far apart, in ms. */
const markEveryMs = 10;
/** Marks that are read at first. */
const lastMarks = 1_024;

/**
 * When the lines of a log were written. Units append to their log themselves, so the manager watches the file and keeps the
 * moments at which it grew in a file beside it. What was written while no manager ran gets the time of the log's last
 * change, what is older than the first mark has no time.
 */
export class LogTimes {
  readonly #log: string;
  readonly #file: string;
  /** The end of the last mark; undefined: not read yet. */
  #marked: number | undefined;
  #watcher: FSWatcher | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(log: string) {
    this.#log = log;
    this.#file = timesOf(log);
  }

  /** Keeps marks from now on, until `close`. The log must be there. */
  watch(): void {
    this.mark(true);
    if (this.#watcher) return;
    try {
      this.#watcher = watch(this.#log, { persistent: false }, (event) => {
        this.#changed();
        // Moved or removed: a new file of the name is watched when a unit writes to it.
        if (event === 'rename') this.close();
      });
      // Where no more files can be watched, the log is marked when it is measured.
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

  /** Notes what was written since the last mark: now, or (`earlier`) at the log's last change. Never throws. */
  mark(earlier = false): void {
    try {
      const { size, mtimeMs } = statSync(this.#log);
      if (this.#marked === undefined) {
        const last = marksIn(readIfThere(this.#file)).at(-1);
        // A log without marks was written under a manager that kept none.
        if (!last && earlier && size > 0) this.#write(size, 0);
        this.#marked = last?.end ?? (earlier ? size : 0);
      }
      // Somebody emptied the file by hand.
      if (size < this.#marked) truncateSync(this.#file);
      if (size !== this.#marked && size > 0) this.#write(size, earlier ? mtimeMs : Date.now());
      this.#marked = size;
    } catch {
      // Lines without a time are better than none: the log itself is read all the same.
    }
  }

  /** Hands the marks on to the archive, which begins at `base` of the log that was emptied. */
  moveToArchive(archive: string, base: number): void {
    try {
      const kept = marksIn(readIfThere(this.#file)).filter(({ end }) => end > base);
      const moved = kept.map(({ end, time }) => encode(end - base, time));
      // What was written since the last mark.
      moved.push(encode(statSync(archive).size, Date.now()));
      writeFileSync(timesOf(archive), Buffer.concat(moved), { mode: 0o600 });
      truncateSync(this.#file);
    } catch {
      // As above.
    }
    this.#marked = 0;
  }

  #write(end: number, time: number): void {
    appendFileSync(this.#file, encode(end, time), { mode: 0o600 });
    this.#marked = end;
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

interface Mark {
  end: number;
  time: number;
}

/** Finds the times of a log's (or an archive's) bytes from `from` on; undefined: not known. */
export function timesFrom(log: string, from: number): (offset: number) => Date | undefined {
  const marks = marksFrom(timesOf(log), from);
  let next = 0;
  /** Offsets are asked for in their order. */
  return (offset) => {
    while (next < marks.length && (marks[next]?.end ?? 0) <= offset) next += 1;
    const time = marks[next]?.time ?? 0;
    return time === 0 ? undefined : new Date(time);
  };
}

/** The last part of the marks is enough for who follows a log, and small. */
function marksFrom(path: string, from: number): Mark[] {
  const recent = marksIn(lastBytes(path, lastMarks * markBytes));
  const isEnough = recent.length < lastMarks || (recent[0]?.end ?? 0) <= from;
  return isEnough ? recent : marksIn(readIfThere(path));
}

const timesOf = (log: string): string => `${log}.times`;

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function lastBytes(path: string, length: number): Buffer {
  try {
    const file = openSync(path, 'r');
    try {
      const { size } = fstatSync(file);
      const bytes = Buffer.alloc(Math.min(length, size));
      readSync(file, bytes, 0, bytes.length, size - bytes.length);
      return bytes;
    } finally {
      closeSync(file);
    }
  } catch {
    return Buffer.alloc(0);
  }
}

function encode(end: number, time: number): Buffer {
  const mark = Buffer.alloc(markBytes);
  mark.writeDoubleLE(end, 0);
  mark.writeDoubleLE(time, 8);
  return mark;
}

/** A mark that a full disk or a crash cut off is left out. */
function marksIn(bytes: Buffer): Mark[] {
  return Array.from({ length: Math.floor(bytes.length / markBytes) }, (_, index) => ({
    end: bytes.readDoubleLE(index * markBytes),
    time: bytes.readDoubleLE(index * markBytes + 8),
  }));
}
