import type { ContainerInspectInfo } from 'dockerode';
import { every } from '../../../lib/concurrency/poll.ts';
import { AppError } from '../../../lib/errors.ts';
import { readLog } from '../engine/client/log-lines.ts';
import { label } from '../engine/labels.ts';
import type { UnitLogLine } from '../runtime.ts';
import type { DockerContext } from './context.ts';
import { isRunning } from './units/desired-state.ts';

/** How often to check whether an ended unit runs again, while its log is followed. */
const pollMs = 300;

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
  for await (const _ of every(pollMs, signal)) {
    try {
      const info = await find();
      const current = info && `${info.Id} ${info.State.StartedAt}`;
      // An ended run is read once; a running one has more to come.
      if (info && (current !== run || (follow && isRunning(info)))) {
        const position = run === undefined ? { tail: lines } : { since: last };
        const seen = run === undefined ? '' : last;
        run = current;
        for await (const { time, stream, message } of readLog(context.docker.getContainer(info.Id), {
          follow,
          signal,
          ...position,
        })) {
          if (time !== '' && time <= seen) continue;
          if (time > last || seen === '') last = time;
          yield { stream, message, time: timeOf(time) };
        }
      }
    } catch (error) {
      const isGone = error instanceof AppError && error.code === 'runtime_unavailable';
      if (!follow || run === undefined || !isGone) throw error;
      context.logger.debug({ reason: error.message }, 'log interrupted: the engine does not answer');
    }
    if (!follow) return;
  }
}

/** The last lines of each generation that still has a log, the oldest first; see LogRequest. */
export async function* positionedLogs(
  context: DockerContext,
  find: () => Promise<ContainerInspectInfo[]>,
  { lines, signal }: { lines: number; signal: AbortSignal },
): AsyncGenerator<UnitLogLine> {
  for (const info of await find()) {
    const generation = info.Config.Labels[label.generation] ?? info.Id;
    const container = context.docker.getContainer(info.Id);
    for await (const { time, stream, message } of readLog(container, { follow: false, signal, tail: lines }))
      yield { stream, message, time: timeOf(time), generation, position: `${time} ${stream}` };
  }
}

const timeOf = (time: string): Date | undefined => (time === '' ? undefined : new Date(`${time.slice(0, 23)}Z`));
