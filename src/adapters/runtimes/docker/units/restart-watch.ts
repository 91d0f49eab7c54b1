import type { ContainerEvent } from '../../engine/client/docker-events.ts';
import { callDocker, getOrUndefined } from '../../engine/client/errors.ts';
import { label, labelFilter } from '../../engine/labels.ts';
import type { DockerContext } from '../context.ts';
import type { Containers } from './containers.ts';
import { desiredState, isRunning } from './desired-state.ts';

export interface RestartRules {
  /** After this many restarts without a steady run between them, a unit is given up. */
  limit: number;
  /** A run of this length resets the count of restarts. */
  steadyMs: number;
}

/**
 * The engine restarts units for ever, with growing delays; this gives up on a unit that never stays up. It gets the engine's
 * events, and looks up missed ones.
 */
export class RestartWatch {
  readonly #context: DockerContext;
  readonly #containers: Containers;
  readonly #rules: RestartRules;
  /** Start of a container's current run, in milliseconds. */
  readonly #starts = new Map<string, number>();
  /** A container's restart count at the end of its last steady run. */
  readonly #forgiven = new Map<string, number>();

  constructor(context: DockerContext, containers: Containers, rules: RestartRules) {
    this.#context = context;
    this.#containers = containers;
    this.#rules = rules;
  }

  /** Catches up on missed events. */
  async lookAround(): Promise<void> {
    for (const role of ['api', 'frontend']) {
      const filters = labelFilter({ instance: this.#context.instance, role });
      const units = await callDocker(() => this.#context.dockerWithTimeout.listContainers({ all: true, filters }));
      for (const { Id: id } of units) await this.#consider(id);
    }
  }

  async onEvent({ action, at, id, attributes }: ContainerEvent): Promise<void> {
    const role = attributes[label.role];
    if (attributes[label.instance] !== this.#context.instance || (role !== 'api' && role !== 'frontend')) return;
    if (action === 'start') {
      this.#starts.set(id, at);
      return;
    }
    await this.#consider(id, at - (this.#starts.get(id) ?? at));
  }

  /** @param ranMs the length of its last run, if known */
  async #consider(id: string, ranMs?: number): Promise<void> {
    const info = await getOrUndefined(() => this.#context.dockerWithTimeout.getContainer(id).inspect());
    if (!info || desiredState(info) !== 'running') {
      this.#starts.delete(id);
      this.#forgiven.delete(id);
      return;
    }
    const started = Date.parse(info.State.StartedAt);
    const running = isRunning(info);
    if (running) this.#starts.set(id, started);
    const run = ranMs ?? (running ? Date.now() - started : Date.parse(info.State.FinishedAt) - started);
    if (run >= this.#rules.steadyMs) this.#forgiven.set(id, info.RestartCount);
    // A manual start resets the engine's count to 0.
    const forgiven = Math.min(this.#forgiven.get(id) ?? 0, info.RestartCount);
    if (info.RestartCount - forgiven < this.#rules.limit) return;
    this.#context.logger.warn({ unit: info.Name.slice(1), restarts: info.RestartCount }, 'gave up restarting a unit');
    await this.#containers.want(id, 'given-up');
    await this.#containers.halt(id);
  }
}
