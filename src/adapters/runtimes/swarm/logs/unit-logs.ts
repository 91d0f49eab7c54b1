import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { every } from '../../../../lib/concurrency/poll.ts';
import { messageOf } from '../../../../lib/errors.ts';
import type { TimedLine } from '../../engine/client/log-lines.ts';
import { label } from '../../engine/labels.ts';
import type { UnitLogLine } from '../../runtime.ts';
import { hasEnded, type Nodes, type Task } from '../client/tasks.ts';
import type { SwarmContext } from '../context.ts';
import type { UnitTasks } from '../units/sweep.ts';
import { TaskLog } from './task-log.ts';

/** How often to look for a unit's new tasks and ended ones, while its log is followed. */
const pollMs = 500;

/**
 * The last `lines` lines of a unit's tasks that Swarm still knows, then, with `follow`, new ones until the signal is aborted: of
 * the next task, the next generation, on whichever node. What a lost node has not sent comes when it is back.
 * @param find the unit's service and tasks at this moment
 */
export async function* unitLogs(
  context: SwarmContext,
  find: () => Promise<UnitTasks | undefined>,
  options: { lines: number; follow: boolean; signal: AbortSignal },
): AsyncGenerator<UnitLogLine> {
  const { lines, follow } = options;
  // Ends the readers, too, when the caller stops reading without aborting.
  const left = new AbortController();
  const signal = AbortSignal.any([options.signal, left.signal]);
  const readers = new Map<string, Reader>();
  const unit = await find();
  const known = readable(unit);
  const tails = await Promise.all(
    known.map(async (task) => {
      const reader = new Reader(context, task, unit?.nodes);
      readers.set(task.id, reader);
      reader.done = hasEnded(task);
      return (await reader.log.tail(lines, signal)).map((line) => ({ ...line, node: reader.node }));
    }),
  );
  const last = tails.flat().sort((a, b) => (a.time < b.time ? -1 : 1));
  for (const line of lines === 0 ? [] : last.slice(-lines)) yield unitLine(line);
  if (!follow) return;

  const output = new PassThrough({ objectMode: true });
  const followAll = async (): Promise<void> => {
    for await (const _ of every(pollMs, signal)) {
      const found = await find().catch((error: unknown) => {
        context.logger.debug({ reason: messageOf(error) }, 'log interrupted: no Swarm manager answers');
        return 'unknown' as const;
      });
      if (found === 'unknown') continue;
      const tasks = readable(found);
      for (const [id, reader] of readers) if (!tasks.some((task) => task.id === id)) await reader.stop();
      // The oldest first: what an ended task wrote last comes before its successor's lines.
      for (const task of tasks.toReversed()) {
        const reader = readers.get(task.id) ?? new Reader(context, task, found?.nodes);
        readers.set(task.id, reader);
        if (hasEnded(task)) await reader.finish(output, signal);
        else reader.start(output, signal);
      }
    }
  };
  const following = followAll().finally(async () => {
    await Promise.all([...readers.values()].map((reader) => reader.stop()));
    output.end();
  });
  following.catch(() => undefined);
  try {
    for await (const line of output) yield unitLine(line as NodeLine);
  } finally {
    left.abort();
    await following;
  }
}

/** The last lines of the tasks of each generation that Swarm still knows, the oldest first; see LogRequest. */
export async function* positionedLogs(
  context: SwarmContext,
  find: () => Promise<UnitTasks | undefined>,
  { lines, signal }: { lines: number; signal: AbortSignal },
): AsyncGenerator<UnitLogLine> {
  const unit = await find();
  for (const part of unit ? [unit.kept, unit] : []) {
    if (!part || !unit) continue;
    const { service } = part;
    const generation = service.labels[label.generation] ?? service.id;
    const tails = await Promise.all(
      readable({ ...part, nodes: unit.nodes }).map(async (task) => {
        const { log, node } = new Reader(context, task, unit.nodes);
        return (await log.tail(lines, signal)).map((line) => ({ ...line, node, task: task.id }));
      }),
    );
    const sorted = tails.flat().sort((a, b) => (a.time < b.time ? -1 : 1));
    for (const line of sorted.slice(-lines))
      yield { ...unitLine(line), generation, position: `${line.time} ${line.stream} ${line.task}` };
  }
}

/** Tasks with a container on a node that answers. */
const readable = (unit: UnitTasks | undefined): Task[] =>
  unit?.tasks.filter(({ containerId, nodeId = '' }) => containerId !== undefined && unit.nodes.get(nodeId)?.ready) ??
  [];

type NodeLine = TimedLine & Pick<UnitLogLine, 'node'>;

const unitLine = ({ stream, message, time, node }: NodeLine): UnitLogLine => ({
  stream,
  message,
  node,
  time: time === '' ? undefined : new Date(`${time.slice(0, 23)}Z`),
});

/** Follows one task while it runs. */
class Reader {
  readonly log: TaskLog;
  /** The host name of its task's node. */
  readonly node: string | undefined;
  /** Its last line has been read. */
  done = false;
  readonly #logger: SwarmContext['logger'];
  #ending = new AbortController();
  #following: Promise<void> | undefined;

  constructor(context: SwarmContext, { id, nodeId = '' }: Task, nodes: Nodes | undefined) {
    this.log = new TaskLog(context, id);
    this.node = nodes?.get(nodeId)?.name;
    this.#logger = context.logger;
  }

  start(output: PassThrough, signal: AbortSignal): void {
    if (this.#following) return;
    this.#ending = new AbortController();
    const ended = AbortSignal.any([signal, this.#ending.signal]);
    const follow = async (): Promise<void> => {
      for await (const line of this.log.follow(ended)) await this.#write(output, line, signal);
    };
    this.#following = follow()
      .catch((error: unknown) => this.#logger.debug({ reason: messageOf(error) }, 'log of a task interrupted'))
      .finally(() => {
        this.#following = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    await this.#following;
  }

  /** Reads what is left of an ended task. */
  async finish(output: PassThrough, signal: AbortSignal): Promise<void> {
    if (this.done) return;
    await this.stop();
    try {
      for (const line of await this.log.rest(signal)) await this.#write(output, line, signal);
      this.done = true;
    } catch (error) {
      this.#logger.debug({ reason: messageOf(error) }, 'log of an ended task interrupted');
    }
  }

  async #write(output: PassThrough, line: TimedLine, signal: AbortSignal): Promise<void> {
    const full = !output.write({ ...line, node: this.node } satisfies NodeLine);
    if (full) await once(output, 'drain', { signal }).catch(() => undefined);
  }
}
