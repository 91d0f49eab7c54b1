import { randomBytes } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceSpec } from 'dockerode';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { mkdir, rm, writeFile } from '../../../../lib/files/changes.ts';
import { label } from '../../engine/labels.ts';
import type { NodeUsage } from '../../nodes.ts';
import { shell } from '../../shell-line.ts';
import { createService, listServices, removeService } from '../client/services.ts';
import { hasEnded, listNodes, listTasks, type Task } from '../client/tasks.ts';
import type { SwarmContext } from '../context.ts';
import { noNewPrivileges } from '../units/service-plan.ts';
import { NodeUsages } from './node-usage.ts';
import { RepeatedProbe } from './repeated-probe.ts';

const intervalMs = 5 * 60_000;
/** Time for the nodes, with a pull of the image. */
const answerWithinMs = 90_000;

/** A failure of `cp` alone is the probe's. */
const script =
  'cp /run-of-probe/nonce /proc/self/status /proc/stat /proc/uptime /proc/meminfo /answer/ && { df -Pk / >/answer/df || :; }';

/** What a node said. `unknown`: it was not asked, or could not run the probe. */
export interface NodeProbe {
  storage: 'ok' | 'missing' | 'unknown';
  /** Whether its containers get no-new-privileges, which API 1.41 can't set on a service. */
  noNewPrivileges: boolean | undefined;
  usage: NodeUsage | undefined;
  /** When it answered, in monotonic ms. */
  at: number;
}

/** What a node used is out of date once two probes in a row had no answer, such as those of a drained node. */
export const isFresh = ({ at }: NodeProbe): boolean => performance.now() - at < 2 * intervalMs + answerWithinMs;

/**
 * Checks on each node that it has the shared storage: a container copies a file of this moment from the storage back to it, with
 * its own `/proc/self/status` and what the node uses. An image that has `sh` and `cp` is enough, without `df` the disk's use is unknown.
 */
export class StorageProbe extends RepeatedProbe {
  readonly #context: SwarmContext;
  readonly #image: string;
  readonly #onResult: (nodeId: string, probe: NodeProbe) => Promise<void>;
  readonly #usages = new NodeUsages();

  /** @param onResult called for each node that answered, if any has the storage: otherwise the manager itself may lack it */
  constructor(context: SwarmContext, image: string, onResult: (nodeId: string, probe: NodeProbe) => Promise<void>) {
    super(context, intervalMs, 'the storage of the nodes could not be checked');
    this.#context = context;
    this.#image = image;
    this.#onResult = onResult;
  }

  /** Probes once. @throws AppError runtime_unavailable; Error when no node has the storage */
  async run(signal: AbortSignal): Promise<void> {
    const context = this.#context;
    for (const { id } of await listServices(context, { role: 'probe' })) await removeService(context, id);
    const root = join(context.storage, '.probe', context.instance);
    await rm(root, { recursive: true, force: true });
    // Not its parents: a storage that is gone must not be made on the manager's own disk.
    await stat(context.storage);
    const nonce = randomBytes(8).toString('hex');
    const run = join(root, nonce);
    const nodes = [...(await listNodes(context)).values()].filter(({ ready }) => ready);
    for (const { id } of nodes) await mkdir(join(run, id), { recursive: true, mode: 0o700 });
    await writeFile(join(run, 'nonce'), nonce);
    try {
      const tasks = await this.#ask(run, nonce, nodes.length, signal);
      const results = await Promise.all(
        nodes.map(async ({ id }) => [id, await this.#judge(run, nonce, tasks.get(id), id)]),
      );
      await this.#report(new Map(results as [string, NodeProbe][]));
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  }

  /** The ended tasks by node. Drained and paused nodes get none. */
  async #ask(run: string, nonce: string, count: number, signal: AbortSignal): Promise<Map<string, Task>> {
    const context = this.#context;
    const id = await createService(context, this.#plan(run, nonce));
    let ended = new Map<string, Task>();
    const look = async (): Promise<true | undefined> => {
      const tasks = await listTasks(context, { service: [id] });
      ended = new Map(tasks.filter(hasEnded).map((task) => [task.nodeId ?? '', task]));
      return ended.size === count || (tasks.length > 0 && tasks.every(hasEnded)) ? true : undefined;
    };
    try {
      await poll(look, { timeoutMs: answerWithinMs, intervalMs: 500, signal });
    } finally {
      await removeService(context, id);
    }
    return ended;
  }

  #plan(run: string, nonce: string): ServiceSpec {
    const labels = { [label.instance]: this.#context.instance, [label.role]: 'probe' };
    const bind = (Source: string, Target: string) => ({ Type: 'bind' as const, Source, Target });
    return {
      Name: `tenantry-probe-${nonce}`,
      Labels: labels,
      TaskTemplate: {
        ContainerSpec: {
          Image: this.#image,
          Labels: labels,
          User: '0',
          Command: [shell, '-c', script],
          Mounts: [bind(run, '/run-of-probe'), bind(`${run}/{{.Node.ID}}`, '/answer')],
          CapabilityDrop: ['ALL'],
          Privileges: noNewPrivileges,
          HealthCheck: { Test: ['NONE'] },
        },
        RestartPolicy: { Condition: 'none' },
      },
      Mode: { Global: {} },
    } as ServiceSpec;
  }

  async #judge(run: string, nonce: string, task: Task | undefined, nodeId: string): Promise<NodeProbe> {
    const read = (name: string): Promise<string> => readFile(join(run, nodeId, name), 'utf8').catch(() => '');
    if ((await read('nonce')) !== nonce) {
      const storage = task && showsNoStorage(task) ? 'missing' : 'unknown';
      return { storage, noNewPrivileges: undefined, usage: undefined, at: performance.now() };
    }
    const [, flag] = /^NoNewPrivs:\s*(\d)/m.exec(await read('status')) ?? [];
    const [stat, uptime, meminfo, df] = await Promise.all([read('stat'), read('uptime'), read('meminfo'), read('df')]);
    const usage = this.#usages.of(nodeId, { stat, uptime, meminfo, df });
    const noNewPrivileges = flag === undefined ? undefined : flag === '1';
    return { storage: 'ok', noNewPrivileges, usage, at: performance.now() };
  }

  async #report(results: ReadonlyMap<string, NodeProbe>): Promise<void> {
    if (![...results.values()].some(({ storage }) => storage === 'ok'))
      throw new Error(`No node has the files that this manager writes to ${this.#context.storage}`);
    for (const [id, probe] of results) if (probe.storage !== 'unknown') await this.#onResult(id, probe);
  }
}

/**
 * Whether the end of a probe's task means that its node lacks the storage: the mount failed (`invalid mount config for type "bind":
 * bind source path does not exist`), or `cp` did. Other exit codes are those of a container that ended with its engine.
 */
export const showsNoStorage = ({ state, error, exitCode }: Pick<Task, 'state' | 'error' | 'exitCode'>): boolean =>
  error?.includes('bind source path') === true || (state === 'failed' && exitCode === 1);
