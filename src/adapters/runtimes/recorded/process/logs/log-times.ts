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

/** A mark: how many bytes of the log had been written at which time (ms since 1970, 0: unknown), two doubles. */
const markBytes = 16;
/** Minimum time between marks, in ms. */
const markEveryMs = 10;
/** Marks read at first. */
const lastMarks = 1_024;
/** Maximum marks of a log: beyond it, some of the closest ones are removed. */
const usualMarks = 65_536;

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

  /** Marks what was written since the last mark: now, or (`earlier`) at the log's last change. Never throws. */
  mark(earlier = false): void {
    try {
      const { size, mtimeMs } = statSync(this.#log);
      if (this.#marked === undefined) {
        const marks = readIfThere(this.#file);
        this.#count = countOf(marks);
        const last = this.#count === 0 ? undefined : endOf(marks, this.#count - 1);
        // A log without marks was written under a manager without this feature.
        if (last === undefined && earlier && size > 0) this.#write(size, 0);
        this.#marked = last ?? (earlier ? size : 0);
      }
      // The file was truncated manually.
      if (size < this.#marked) this.#clear();
      if (size !== this.#marked && size > 0) this.#write(size, earlier ? mtimeMs : Date.now());
      this.#marked = size;
    } catch {
      // Lines without a time are better than none: the log itself is still read.
    }
  }

  /** Passes the marks on to the archive, which starts at `base` of the truncated log. */
  moveToArchive(archive: string, base: number): void {
    try {
      const marks = readIfThere(this.#file);
      const moved: Buffer[] = [];
      for (let index = firstAfter(marks, base); index < countOf(marks); index += 1)
        moved.push(encode(endOf(marks, index) - base, timeOf(marks, index)));
      // The output since the last mark.
      moved.push(encode(statSync(archive).size, Date.now()));
      writeFileSync(timesOf(archive), Buffer.concat(moved), { mode: 0o600 });
      this.#clear();
    } catch {
      // As above.
    }
    this.#marked = 0;
  }

  #write(end: number, time: number): void {
    if (this.#count >= this.#most) this.#thinOut(end);
    appendFileSync(this.#file, encode(end, time), { mode: 0o600 });
    this.#count += 1;
    this.#marked = end;
  }

  /** Keeps at most every second mark, evenly over the bytes of the log: bytes between them get the later time. */
  #thinOut(size: number): void {
    const marks = readIfThere(this.#file);
    const apart = (2 * size) / this.#most;
    const kept: Buffer[] = [];
    let next = apart;
    for (let index = 0; index < countOf(marks); index += 1) {
      if (endOf(marks, index) < next && timeOf(marks, index) !== 0) continue;
      kept.push(marks.subarray(index * markBytes, (index + 1) * markBytes));
      next = endOf(marks, index) + apart;
    }
    writeFileSync(this.#file, Buffer.concat(kept), { mode: 0o600 });
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
  const marks = marksFrom(timesOf(log), from);
  const count = countOf(marks);
  let next = firstAfter(marks, from);
  /** Offsets must be requested in order. */
  return (offset) => {
    while (next < count && endOf(marks, next) <= offset) next += 1;
    const time = next < count ? timeOf(marks, next) : 0;
    return time === 0 ? undefined : new Date(time);
  };
}

/** The last marks are enough for a follower, and small. */
function marksFrom(path: string, from: number): Buffer {
  const recent = lastBytes(path, lastMarks * markBytes);
  const isEnough = countOf(recent) < lastMarks || endOf(recent, 0) <= from;
  return isEnough ? recent : readIfThere(path);
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

/** Skips a mark that a full disk or a crash has cut off. */
const countOf = (marks: Buffer): number => Math.floor(marks.length / markBytes);
const endOf = (marks: Buffer, index: number): number => marks.readDoubleLE(index * markBytes);
const timeOf = (marks: Buffer, index: number): number => marks.readDoubleLE(index * markBytes + 8);

/** Binary search for the first mark that ends after a byte. */
function firstAfter(marks: Buffer, offset: number): number {
  let low = 0;
  let high = countOf(marks);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (endOf(marks, middle) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
