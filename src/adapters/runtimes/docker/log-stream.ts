import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerInspectInfo, ContainerLogsOptions } from 'dockerode';
import { AppError } from '../../../lib/errors.ts';
import { LineSplitter } from '../../../lib/files/lines.ts';
import { getOrUndefined, translateError } from '../engine/client/errors.ts';
import { framesOf } from '../engine/client/log-frames.ts';
import type { UnitLogLine } from '../runtime.ts';
import type { DockerContext } from './context.ts';
import { isRunning } from './units/desired-state.ts';

/** How often to check whether an ended unit runs again, while its log is followed. */
const pollMs = 300;

/** The engine's timestamp before each line: RFC 3339 with nanoseconds, of fixed length, so it sorts as text. */
const stamped = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) ?/;

/**
 * The last `lines` lines of a unit, then, with `follow`, new ones until the signal is aborted. The engine ends a log with its
 * container's run, and with itself; the stream then resumes (the next run, the next generation, the engine back) after the last
 * line seen.
 * @param find the unit's container at this moment
 */
export async function* unitLogs(
  context: DockerContext,
  find: () => Promise<ContainerInspectInfo | undefined>,
  options: { lines: number; follow: boolean; signal: AbortSignal },
): AsyncGenerator<UnitLogLine> {
  const { lines, follow, signal } = options;
  // Used as the last line's time until there is a line.
  let last = new Date().toISOString().replace('Z', '000000Z');
  let run: string | undefined;
  while (!signal.aborted) {
    try {
      const info = await find();
      const current = info && `${info.Id} ${info.State.StartedAt}`;
      // An ended run is read once; a running one has more to come.
      if (info && (current !== run || (follow && isRunning(info)))) {
        const position = run === undefined ? { tail: lines } : { since: secondsOf(last) };
        const seen = run === undefined ? '' : last;
        run = current;
        for await (const { time, stream, message } of readLog(context, info.Id, { follow, signal, ...position })) {
          if (time !== '' && time <= seen) continue;
          if (time > last || seen === '') last = time;
          yield { stream, message, time: time === '' ? undefined : new Date(`${time.slice(0, 23)}Z`) };
        }
      }
    } catch (error) {
      const isGone = error instanceof AppError && error.code === 'runtime_unavailable';
      if (!follow || run === undefined || !isGone) throw error;
      context.logger.debug({ reason: error.message }, 'log interrupted: the engine does not answer');
    }
    if (!follow) return;
    await sleep(pollMs, undefined, { signal }).catch(() => undefined);
  }
}

interface TimedLine extends Omit<UnitLogLine, 'time'> {
  /** As written by the engine; empty if it wrote none. */
  time: string;
}

async function* readLog(
  context: DockerContext,
  id: string,
  options: { follow: boolean; signal: AbortSignal; tail?: number; since?: string },
): AsyncGenerator<TimedLine> {
  const { follow, signal, tail, since } = options;
  const wanted: ContainerLogsOptions = {
    stdout: true,
    stderr: true,
    timestamps: true,
    ...(tail === undefined ? {} : { tail }),
    // The engine accepts seconds with a fraction; the type has only whole ones.
    ...(since === undefined ? {} : { since: since as unknown as number }),
  };
  const container = context.docker.getContainer(id);
  const source = await getOrUndefined(async () =>
    follow ? await container.logs({ ...wanted, follow: true }) : [await container.logs({ ...wanted, follow: false })],
  );
  if (!source) return;
  const stop = (): void => {
    if (!Array.isArray(source)) (source as NodeJS.ReadableStream & { destroy(): void }).destroy();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    yield* linesIn(Array.isArray(source) ? bufferOf(source) : source);
  } catch (error) {
    if (!signal.aborted) throw translateError(error);
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

async function* bufferOf(source: Buffer[]): AsyncGenerator<Uint8Array> {
  yield* source;
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
