import { randomBytes } from 'node:crypto';
import type { Container } from 'dockerode';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { callDocker, ignoreStatus, withContext } from '../../engine/client/errors.ts';
import type { ContainerPlan } from '../../engine/container-plan.ts';
import { execute } from '../../engine/exec/execute.ts';
import { labelFilter } from '../../engine/labels.ts';
import type { CommandEnd, TenantSpace } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';
import { giveDirectories } from '../files/volumes.ts';
import type { Containers } from '../units/containers.ts';

/** Runs a program by its argument array in the job's container, until its end or timeout. */
type RunProgram = (argv: readonly string[], timeoutMs: number) => Promise<CommandEnd>;

/** One-off containers in which programs run one after the other; always removed at the end. */
export class Jobs {
  readonly #context: DockerContext;
  readonly #containers: Containers;
  readonly #running = new Set<string>();

  constructor(context: DockerContext, containers: Containers) {
    this.#context = context;
    this.#containers = containers;
  }

  /**
   * Starts the plan's container for the programs that `programs` runs; each line of their output goes to `work.log`.
   * @param directories given to the image's user before the start
   */
  async run<T>(
    tenant: TenantSpace,
    plan: ContainerPlan,
    work: Work,
    directories: readonly string[],
    programs: (run: RunProgram) => Promise<T>,
  ): Promise<T> {
    work.signal.throwIfAborted();
    const name = `${tenant.slug}-job-${randomBytes(6).toString('hex')}`;
    this.#running.add(name);
    try {
      const container = await this.#start(name, plan, directories);
      return await programs((argv, timeoutMs) => runInTime(container, argv, work, timeoutMs));
    } finally {
      // From here on, a lost engine leaves an orphan, which is removed when the engine is back.
      this.#running.delete(name);
      await this.#containers.remove(name);
    }
  }

  /** Removes jobs that a killed manager left. */
  async removeLeftovers(): Promise<void> {
    const filters = labelFilter({ instance: this.#context.instance, role: 'job' });
    const jobs = await callDocker(() => this.#context.docker.listContainers({ all: true, filters }));
    for (const { Id: id, Names: names } of jobs)
      if (!names.some((name) => this.#running.has(name.slice(1)))) await this.#containers.remove(id);
  }

  async #start(name: string, plan: ContainerPlan, directories: readonly string[]): Promise<Container> {
    const container = await this.#containers.create(name, plan);
    if (directories.length > 0)
      await giveDirectories(container, directories, await this.#context.users.ownerIn(container));
    await callDocker(() => container.start()).catch((error: unknown) => {
      throw withContext('The command could not be run', error);
    });
    return container;
  }
}

async function runInTime(
  container: Container,
  argv: readonly string[],
  work: Work,
  timeoutMs: number,
): Promise<CommandEnd> {
  work.signal.throwIfAborted();
  const timeUp = AbortSignal.timeout(timeoutMs);
  const ended = AbortSignal.any([work.signal, timeUp]);
  try {
    return { exitCode: await execute(container, argv, { log: work.log, signal: ended }), timedOut: false };
  } catch (error) {
    if (!ended.aborted) throw withContext('The command could not be run', error);
    // The engine has no other way to end a program in a container.
    await ignoreStatus([404, 409], () => container.kill());
    work.signal.throwIfAborted();
    return { exitCode: null, timedOut: true };
  }
}
