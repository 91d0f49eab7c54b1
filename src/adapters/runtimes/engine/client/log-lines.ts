import { Readable } from 'node:stream';
import type { Container, ContainerLogsOptions } from 'dockerode';
import { LineSplitter } from '../../../../lib/files/lines.ts';
import type { UnitLogLine } from '../../runtime.ts';
import { getOrUndefined, translateError } from './errors.ts';
import { framesOf } from './log-frames.ts';

/** The engine's timestamp before each line: RFC 3339 with nanoseconds, of fixed length, so it sorts as text. */
const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) ?/;

export interface TimedLine extends Omit<UnitLogLine, 'time'> {
  /** As written by the engine; empty if it wrote none. */
  time: string;
}

/**
 * The lines of one run of a container or task, the last `tail` or those since a time; nothing when the engine does not know it.
 * @param options.since a line's time, which itself may come again
 */
export async function* readLog(
  source: Pick<Container, 'logs'>,
  options: { follow: boolean; signal: AbortSignal; tail?: number; since?: string },
): AsyncGenerator<TimedLine> {
  const { follow, signal, tail, since } = options;
  const wanted: ContainerLogsOptions = {
    stdout: true,
    stderr: true,
    timestamps: true,
    ...(tail === undefined ? {} : { tail }),
    // The engine accepts seconds with a fraction; the type has only whole ones.
    ...(since === undefined ? {} : { since: secondsOf(since) as unknown as number }),
  };
  const log = await getOrUndefined(async () =>
    follow
      ? ((await source.logs({ ...wanted, follow: true })) as Readable)
      : Readable.from([await source.logs({ ...wanted, follow: false })]),
  );
  if (!log) return;
  const stop = (): void => void log.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* linesIn(log);
  } catch (error) {
    if (!signal.aborted) throw translateError(error);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

async function* linesIn(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<TimedLine> {
  const splitters = { stdout: new LineSplitter(), stderr: new LineSplitter() };
  const times = { stdout: '', stderr: '' };
  for await (const { stream, content } of framesOf(source)) {
    const text = content.toString('utf8');
    const time = stamped.exec(text);
    if (time?.[1]) times[stream] = time[1];
    const rest = time ? text.slice(time[0].length) : text;
    for (const message of splitters[stream].push(rest)) yield { stream, message, time: times[stream] };
  }
  for (const stream of ['stdout', 'stderr'] as const)
    for (const message of splitters[stream].end()) yield { stream, message, time: times[stream] };
}

/** `2026-11-20T11:00:00.000000001Z` as the engine's `since`: seconds and nanoseconds. */
function secondsOf(time: string): string {
  return `${Math.floor(Date.parse(`${time.slice(0, 19)}Z`) / 1000)}.${time.slice(20, 29)}`;
}
