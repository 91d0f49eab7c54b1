import type { Engine } from '../engine/client/docker-client.ts';
import { callDocker, getOrUndefined } from '../engine/client/errors.ts';
import { containerUsage } from '../engine/container-usage.ts';
import type { UnitUsage } from '../runtime.ts';
import type { Task } from './client/tasks.ts';
import type { SwarmContext } from './context.ts';

/** What only the engine of a task's own node knows. Engines are known by DOCKER_HOST; of other nodes nothing is known. */
export class TaskEngines {
  readonly #engines: readonly Engine[];
  readonly #nodeIds = new Map<Engine, string>();
  /** By task: it never changes. */
  readonly #outOfMemory = new Map<string, boolean>();

  constructor({ engines }: Pick<SwarmContext, 'engines'>) {
    this.#engines = engines;
  }

  async usage({ nodeId, containerId }: Task, memoryLimit: number | undefined): Promise<UnitUsage | undefined> {
    const engine = containerId === undefined ? undefined : await this.#engineOf(nodeId);
    return engine && containerUsage(engine.prompt, containerId ?? '', memoryLimit);
  }

  /** The tasks that were ended for using too much memory; a task itself shows only that it was killed. */
  async outOfMemory(tasks: readonly Task[]): Promise<ReadonlySet<string>> {
    for (const { id, nodeId, containerId, exitCode } of tasks) {
      if (exitCode !== 137 || containerId === undefined || this.#outOfMemory.has(id)) continue;
      const engine = await this.#engineOf(nodeId);
      const found = engine && (await getOrUndefined(() => engine.prompt.getContainer(containerId).inspect()));
      if (found) this.#outOfMemory.set(id, found.State.OOMKilled);
    }
    return new Set(tasks.flatMap(({ id }) => (this.#outOfMemory.get(id) ? [id] : [])));
  }

  async #engineOf(nodeId: string | undefined): Promise<Engine | undefined> {
    for (const engine of this.#engines) {
      // An engine that does not answer is not the one that is looked for, as far as anybody knows.
      const id = this.#nodeIds.get(engine) ?? (await callDocker(() => nodeIdOf(engine)).catch(() => undefined));
      if (id !== undefined) this.#nodeIds.set(engine, id);
      if (id !== undefined && id === nodeId) return engine;
    }
    return undefined;
  }
}

async function nodeIdOf({ prompt }: Engine): Promise<string | undefined> {
  const { Swarm: swarm } = (await prompt.info()) as { Swarm?: { NodeID?: string } };
  return swarm?.NodeID;
}
