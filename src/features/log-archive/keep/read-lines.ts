import type { LogRequest, Runtime, UnitLogLine, UnitRef } from '../../../adapters/runtimes/runtime.ts';

/** As few as a quiet unit needs, and the factor for the next attempt. */
const firstLines = 1_000;
const growth = 16;
const mostLines = 512_000;
/** What one reading keeps in memory; of more, the end. */
const mostCharacters = 32 * 1024 * 1024;
/** What a line takes besides its message, so that many short lines count, too. */
const overhead = 200;
const sizeOf = ({ message }: UnitLogLine): number => message.length + overhead;

/** What is known of a log: where it was read last, and the last line's time in ms since 1970. */
export interface ReadUpTo {
  position: string | null;
  time: number;
}

/**
 * The new lines of a unit's logs by generation (`''`: all share one log): those after the last line known. Reads a log's end, and more
 * of it until the known line is there. A log that no longer has that line has been rotated; then times decide.
 */
export async function newLines(
  runtime: Pick<Runtime, 'logs'>,
  unit: UnitRef,
  known: (generation: string) => ReadUpTo | undefined,
  signal: AbortSignal,
): Promise<Map<string, UnitLogLine[]>> {
  for (let lines = firstLines; ; lines *= growth) {
    const most = Math.min(lines, mostLines);
    const logs = await readLogs(runtime, unit, { lines: most, follow: false, signal, positions: true });
    signal.throwIfAborted();
    let isWhole = true;
    for (const [generation, log] of logs) {
      const last = known(generation);
      const at = last ? log.lines.findLastIndex(({ position }) => position === last.position) : -1;
      if (at !== -1) log.lines.splice(0, at + 1);
      else if (log.count >= most && most < mostLines && !log.isCut) isWhole = false;
      else if (last) log.lines = log.lines.filter(({ time }) => time && time.getTime() > last.time);
    }
    if (isWhole) return new Map([...logs].map(([generation, log]) => [generation, log.lines]));
  }
}

interface ReadLog {
  lines: UnitLogLine[];
  /** Of the lines, with their overhead. */
  characters: number;
  /** How many lines came, those that were dropped again included. */
  count: number;
  isCut: boolean;
}

async function readLogs(
  runtime: Pick<Runtime, 'logs'>,
  unit: UnitRef,
  request: LogRequest,
): Promise<Map<string, ReadLog>> {
  const logs = new Map<string, ReadLog>();
  for await (const line of runtime.logs(unit, request)) {
    const key = line.generation ?? '';
    const log = logs.get(key) ?? { lines: [], characters: 0, count: 0, isCut: false };
    logs.set(key, log);
    log.lines.push(line);
    log.count += 1;
    log.characters += sizeOf(line);
    if (log.characters > 2 * mostCharacters) cut(log);
  }
  return logs;
}

/** Drops the oldest lines. */
function cut(log: ReadLog): void {
  log.isCut = true;
  let dropped = 0;
  while (log.characters > mostCharacters) {
    const line = log.lines[dropped];
    log.characters -= line ? sizeOf(line) : log.characters;
    dropped += 1;
  }
  log.lines.splice(0, dropped);
}
