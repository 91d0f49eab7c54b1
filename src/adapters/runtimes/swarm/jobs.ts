import { randomBytes } from 'node:crypto';
import type { ServiceSpec } from 'dockerode';
import { poll } from '../../../lib/concurrency/poll.ts';
import { retry } from '../../../lib/concurrency/retry.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { CommandEnd, TenantSpace } from '../runtime.ts';
import { unitName } from '../unit-name.ts';
import { createService, listServices, removeService } from './client/services.ts';
import { hasEnded, listNodes, listTasks, type Task, untilEnded } from './client/tasks.ts';
import type { SwarmContext } from './context.ts';
import { TaskLog } from './logs/task-log.ts';

/** A command must find a node, and its image be there, within this time. */
const startWithinMs = 10 * 60_000;
/** A command that no node may run is given up earlier. */
const nodeWithinMs = 60_000;

/** Nodes reject tasks for passing reasons, too, such as a subnet that is in use. Swarm itself tries again only for services that stay. */
const rejectedDelaysMs = [1_000, 3_000, 5_000];

/** A node rejected the task before it started the command. */
class RejectedError extends Error {}

/** Swarm also calls tasks rejected, even running ones, whose node no longer meets their constraints: those are not run again. */
const isUnstarted = ({ state, containerId, error }: Task): boolean =>
  state === 'rejected' && containerId === undefined && !error?.includes('no longer meets constraints');

/** Commands as services that run once; each is removed when its command has ended. */
export class Jobs {
  readonly #context: SwarmContext;
  readonly #running = new Set<string>();

  constructor(context: SwarmContext) {
    this.#context = context;
  }

  /**
   * Runs one command to its end; each line of its output goes to `work.log`.
   * @param plan the specification of its service
   * @throws Error when it can't be run, or its node is lost: whether it ended is then unknown, and it is not run again
   */
  run(
    tenant: TenantSpace,
    plan: () => Promise<ServiceSpec>,
    work: Work,
    { timeoutMs }: { timeoutMs: number },
  ): Promise<CommandEnd> {
    return retry(() => this.#runOnce(tenant, plan, work, timeoutMs), {
      delaysMs: rejectedDelaysMs,
      signal: work.signal,
      isTransient: (error) => error instanceof RejectedError,
      onFailure: (error) => work.log(`${messageOf(error)}; trying again`),
    });
  }

  async #runOnce(
    tenant: TenantSpace,
    plan: () => Promise<ServiceSpec>,
    work: Work,
    timeoutMs: number,
  ): Promise<CommandEnd> {
    work.signal.throwIfAborted();
    const name = `${unitName(tenant.slug, 'job')}-${randomBytes(4).toString('hex')}`;
    this.#running.add(name);
    try {
      const id = await createService(this.#context, { ...(await plan()), Name: name });
      try {
        return await this.#follow(id, work, timeoutMs);
      } catch (error) {
        work.signal.throwIfAborted();
        throw error;
      } finally {
        await removeService(this.#context, id);
        await untilEnded(this.#context, tenant.id, { role: 'job' });
      }
    } finally {
      // From here on, a lost manager leaves an orphan, which is removed when one is back.
      this.#running.delete(name);
    }
  }

  /** Removes jobs that a killed manager left. */
  async removeLeftovers(): Promise<void> {
    for (const { id, name } of await listServices(this.#context, { role: 'job' }))
      if (!this.#running.has(name)) await removeService(this.#context, id);
  }

  async #follow(id: string, work: Work, timeoutMs: number): Promise<CommandEnd> {
    const started = await this.#until(id, startWithinMs, work.signal, ({ state }) => state === 'running');
    if (!started) throw new Error('The command could not be run: it was not started in time');
    const log = new TaskLog(this.#context, started.id);
    const following = new AbortController();
    const output = forward(log, work, AbortSignal.any([work.signal, following.signal])).catch((error: unknown) => {
      this.#context.logger.debug({ reason: messageOf(error) }, 'log of a command interrupted');
    });
    let ended: Task | undefined;
    try {
      ended = await this.#until(id, timeoutMs, work.signal, () => false);
    } finally {
      following.abort();
      await output;
    }
    if (!ended) return { exitCode: null, timedOut: true };
    const failure = `The command could not be run: ${ended.error ?? ended.state}`;
    if (started.state === 'rejected' && isUnstarted(ended)) throw new RejectedError(failure);
    if (ended.containerId === undefined || ended.state === 'rejected') throw new Error(failure);
    for (const { message } of await log.rest(work.signal)) work.log(message);
    return { exitCode: ended.exitCode, timedOut: false };
  }

  /** Its task when it has ended, or satisfies `met`; undefined after the timeout. */
  async #until(id: string, timeoutMs: number, signal: AbortSignal, met: (task: Task) => boolean) {
    const createdAt = performance.now();
    const look = async (): Promise<Task | undefined> => {
      const [task] = await listTasks(this.#context, { service: [id] });
      if (!task) return undefined;
      if (hasEnded(task) || met(task)) return task;
      if (task.nodeId === undefined) {
        if (task.error !== undefined && performance.now() - createdAt > nodeWithinMs)
          throw new Error(`The command could not be run: ${task.error}`);
        return undefined;
      }
      const node = (await listNodes(this.#context)).get(task.nodeId);
      if (node?.ready) return undefined;
      throw new Error(`The node ${node?.name ?? task.nodeId}, which ran the command, is down: its end is unknown`);
    };
    return poll(look, { timeoutMs, intervalMs: 200, signal });
  }
}

async function forward(log: TaskLog, work: Work, signal: AbortSignal): Promise<void> {
  for await (const { message } of log.follow(signal)) work.log(message);
}
