import { closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { KeyedLock } from '../../../../../lib/concurrency/keyed-lock.ts';
import { every } from '../../../../../lib/concurrency/poll.ts';
import { mkdir, open } from '../../../../../lib/files/changes.ts';
import { LineSplitter } from '../../../../../lib/files/lines.ts';
import type { LogRequest, UnitLogLine } from '../../../runtime.ts';
import { readAt, sizeOf, startOfLastLines } from './log-file.ts';
import { moveIntoArchive } from './log-rotation.ts';
import { LogTimes, timesFrom } from './log-times.ts';

const recheckMs = 100;
const chunkBytes = 64 * 1024;
/** For a unit that writes faster than its log is measured, this many times the limit is kept. */
const archivedLimits = 4;

/** How long an unfinished line may be silent. */
const unfinishedMs = 60_000;

/** A position in the log: `epoch` counts the rotations, the archive holds the epoch before the current one. */
interface Position {
  epoch: number;
  offset: number;
}

/** A part of the log and the position after it. */
interface Part {
  bytes: Uint8Array;
  next: Position;
  /** How many bytes had been written before `bytes`, ever. */
  written: number;
  /** When the byte at an index of `bytes` was written. */
  timeAt(index: number): Date | undefined;
}

/**
 * The log of one unit: a file that its processes append to themselves, and one older file. Both outputs go into one file, which
 * keeps their order; which output a line came from is unknown.
 */
export function createUnitLog(path: string, limitBytes: number) {
  const archive = `${path}.1`;
  const times = new LogTimes(path);
  // A unit of an earlier manager may be writing to it.
  times.watch();
  const lock = new KeyedLock();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => lock.run(path, work);
  let epoch = 1;
  /** The offset in its epoch at which the archive starts: of an overlong file only the end is kept. */
  let archiveBase = 0;
  /** How many bytes had been written before the current epoch; kept in a file of its own, so that positions outlive the manager. */
  let base = readBase(path);

  async function start(lines: number): Promise<Position> {
    const recent = await startOfLastLines(path, lines);
    if (recent.found >= lines) return { epoch, offset: recent.offset };
    const older = await startOfLastLines(archive, lines - recent.found);
    return older.found === 0 ? { epoch, offset: 0 } : { epoch: epoch - 1, offset: archiveBase + older.offset };
  }

  /** The log's content at a position; nothing at the end. */
  async function advance(at: Position): Promise<Part> {
    if (at.epoch < epoch) {
      const offset = at.epoch === epoch - 1 ? Math.max(at.offset, archiveBase) : archiveBase;
      const bytes = await readAt(archive, offset - archiveBase, chunkBytes);
      const next = { epoch: epoch - 1, offset: offset + bytes.length };
      if (bytes.length > 0) {
        const written = base - archiveBase - (await sizeOf(archive)) + offset;
        return partOf(bytes, next, { file: archive, offset: offset - archiveBase }, written);
      }
      return advance({ epoch, offset: 0 });
    }
    // Smaller than our position: the file was truncated manually.
    const offset = at.offset > (await sizeOf(path)) ? 0 : at.offset;
    const bytes = await readAt(path, offset, chunkBytes);
    if (bytes.length > 0) times.mark();
    return partOf(bytes, { epoch, offset: offset + bytes.length }, { file: path, offset }, base + offset);
  }

  function partOf(bytes: Uint8Array, next: Position, from: { file: string; offset: number }, written: number): Part {
    const timeOf = bytes.length > 0 ? timesFrom(from.file, from.offset) : () => undefined;
    return { bytes, next, written, timeAt: (index) => timeOf(from.offset + index) };
  }

  return {
    /** Runs `use` with a descriptor for a new process to append to. */
    async withDescriptor<T>(use: (descriptor: number) => Promise<T>) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      const descriptor = openSync(path, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT, 0o600);
      try {
        times.watch();
        return await use(descriptor);
      } finally {
        closeSync(descriptor);
      }
    },
    /** Rotates the file when it exceeds the limit; followers miss and repeat nothing. */
    rotateIfLarge: () =>
      inTurn(async () => {
        // When the file can't be watched, this interval is the resolution of its times.
        times.mark();
        if ((await sizeOf(path)) <= limitBytes) return;
        const file = await open(path, 'r+');
        try {
          archiveBase = await moveIntoArchive(file.fd, archive, archivedLimits * limitBytes);
          // In the same turn as the truncation: a mark between them would have a wrong offset.
          times.moveToArchive(archive, archiveBase);
          epoch += 1;
          base += archiveBase + (await sizeOf(archive));
          writeFileSync(baseOf(path), String(base), { mode: 0o600 });
        } finally {
          await file.close();
        }
      }),
    /** The last `lines` lines, then with `follow` new ones, until the signal is aborted. */
    async *read({ lines, follow, signal, positions }: LogRequest): AsyncGenerator<UnitLogLine> {
      const splitter = new LineSplitter();
      let at = await inTurn(() => start(lines));
      let time: Date | undefined;
      let isNewLine = true;
      let position = 0;
      const lineOf = (message: string): UnitLogLine => ({
        stream: 'stdout',
        message,
        time,
        ...(positions ? { position: String(position) } : {}),
      });
      for await (const _ of every(recheckMs, signal)) {
        let part = await inTurn(() => advance(at));
        for (; part.bytes.length > 0 && !signal.aborted; part = await inTurn(() => advance(at))) {
          const { bytes, next, timeAt, written } = part;
          at = next;
          for (let begin = 0; begin < bytes.length; ) {
            const newline = bytes.indexOf(0x0a, begin);
            const end = newline === -1 ? bytes.length : newline + 1;
            // A line has the time of its first byte.
            if (isNewLine) time = timeAt(begin);
            if (isNewLine) position = written + begin;
            isNewLine = newline !== -1;
            for (const message of splitter.push(bytes.subarray(begin, end))) yield lineOf(message);
            begin = end;
          }
        }
        at = part.next;
        if (!follow) break;
      }
      // Who remembers positions waits for the end of a line that is being written.
      const isWritten = !positions || Date.now() - (await lastWrite(path)) > unfinishedMs;
      if (!follow && isWritten) for (const message of splitter.end()) yield lineOf(message);
    },
    /** Stops recording times. */
    close: () => times.close(),
  };
}

const baseOf = (path: string): string => `${path}.base`;

function readBase(path: string): number {
  try {
    return Number(readFileSync(baseOf(path), 'utf8')) || 0;
  } catch {
    return 0;
  }
}

const lastWrite = async (path: string): Promise<number> => (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;

export type UnitLog = ReturnType<typeof createUnitLog>;
