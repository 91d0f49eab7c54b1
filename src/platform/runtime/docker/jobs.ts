import { randomBytes } from 'node:crypto';
import { LineSplitter } from '../../../kernel/lines.ts';
import type { TenantSpace, Work } from '../runtime.ts';
import type { ContainerPlan } from './container-plan.ts';
import type { Containers } from './containers.ts';
import type { DockerContext } from './context.ts';
import { asking, translated, unlessRefused, whileDoing } from './errors.ts';
import { labelFilter } from './labels.ts';
import { framesOf } from './log-frames.ts';
import { giveDirectories } from './volumes.ts';

interface JobOptions {
  timeoutMs: number;
  /** Directories that are given to the image's user before the start. */
  directories: readonly string[];
}

/** One-off containers: run to their end, then removed, whichever way they ended. */
export class Jobs {
  readonly #context: DockerContext;
  readonly #containers: Containers;
  readonly #running = new Set<string>();

  constructor(context: DockerContext, containers: Containers) {
    this.#context = context;
    this.#containers = containers;
  }

  /** Runs the plan; each line of its output goes to `work.log`. Ends it when the time is up or the signal is aborted. */
  async run(
    tenant: TenantSpace,
    plan: ContainerPlan,
    work: Work,
    options: JobOptions,
  ): Promise<{ exitCode: number | null; timedOut: boolean }> {
    work.signal.throwIfAborted();
    const name = `${tenant.slug}-job-${randomBytes(6).toString('hex')}`;
    this.#running.add(name);
    const timeUp = AbortSignal.timeout(options.timeoutMs);
    const ended = AbortSignal.any([work.signal, timeUp]);
    try {
      await this.#prepare(name, plan, options.directories);
      const exitCode = await this.#runToEnd(name, work, ended);
      return { exitCode: timeUp.aborted ? null : exitCode, timedOut: timeUp.aborted };
    } catch (error) {
      if (timeUp.aborted && !work.signal.aborted) return { exitCode: null, timedOut: true };
      throw error;
    } finally {
      // From here on a leftover like any other, should the engine be gone: removed when it is back.
      this.#running.delete(name);
      await this.#containers.remove(name);
    }
  }

  /** Removes what a manager that was killed left of its jobs. */
  async removeLeftovers(): Promise<void> {
    const filters = labelFilter({ instance: this.#context.instance, role: 'job' });
    const jobs = await asking(() => this.#context.docker.listContainers({ all: true, filters }));
    for (const { Id: id, Names: names } of jobs)
      if (!names.some((name) => this.#running.has(name.slice(1)))) await this.#containers.remove(id);
  }

  async #prepare(name: string, plan: ContainerPlan, directories: readonly string[]): Promise<void> {
    const container = await this.#containers.create(name, plan);
    if (directories.length === 0) return;
    await giveDirectories(container, directories, await this.#context.users.ownerIn(container));
  }

  async #runToEnd(name: string, work: Work, ended: AbortSignal): Promise<number> {
    const container = this.#containers.get(name);
    // Attached before the start: nothing it says is missed, and the output's end is known.
    const output = await asking(
      () => container.attach({ stream: true, stdout: true, stderr: true, abortSignal: ended }),
      ended,
    );
    // Killed, not just left alone: the streams then end, and with them the wait.
    const kill = (): void => {
      unlessRefused([404, 409], () => container.kill()).catch((error: unknown) => {
        this.#context.logger.warn({ job: name, error }, 'job not killed');
      });
    };
    ended.addEventListener('abort', kill, { once: true });
    try {
      await asking(() => container.start());
      await forwardLines(output, work.log, ended);
      const { StatusCode: exitCode } = await asking(() => container.wait() as Promise<{ StatusCode: number }>);
      ended.throwIfAborted();
      return exitCode;
    } catch (error) {
      throw whileDoing('The command could not be run', error);
    } finally {
      ended.removeEventListener('abort', kill);
    }
  }
}

/** Both streams line by line, until both have ended. */
async function forwardLines(
  source: AsyncIterable<Uint8Array | string>,
  log: Work['log'],
  signal: AbortSignal,
): Promise<void> {
  const splitters = { stdout: new LineSplitter(), stderr: new LineSplitter() };
  try {
    for await (const { stream, content } of framesOf(source))
      for (const line of splitters[stream].push(content)) log(line);
  } catch (error) {
    throw translated(error, signal);
  } finally {
    for (const splitter of [splitters.stdout, splitters.stderr]) for (const line of splitter.end()) log(line);
  }
}
