import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { messageOf } from '../../../kernel/errors.ts';
import { linesOf, longestMessage } from '../../../kernel/lines.ts';
import type { Containers } from './containers.ts';
import type { DockerContext } from './context.ts';
import { desiredState, isRunning } from './desired-state.ts';
import { asking, askingFor } from './errors.ts';
import { label, labelFilter } from './labels.ts';

export interface RestartRules {
  /** So many restarts without a steady run between them, and a unit is given up. */
  limit: number;
  /** A run of this length makes up for all restarts before it. */
  steadyMs: number;
}

const event = z.object({
  Action: z.enum(['start', 'die']),
  timeNano: z.number(),
  Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()) }),
});

const longestPauseMs = 30_000;
/** An engine that takes the connection and says nothing must not keep the manager from starting. */
const openWithinMs = 5_000;

/**
 * The engine restarts what should run, with growing pauses, for ever; this gives up on a unit that never stays up. It listens to the
 * engine's events, whose stream ends with the engine: it is opened again with growing pauses, and what was missed is
 * looked up.
 */
export class RestartWatch {
  readonly #context: DockerContext;
  readonly #containers: Containers;
  readonly #rules: RestartRules;
  readonly #onConnected: () => Promise<void>;
  /** When the present run of a container began, in milliseconds. */
  readonly #starts = new Map<string, number>();
  /** A container's restart count at the end of its last steady run. */
  readonly #forgiven = new Map<string, number>();
  readonly #ended = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  /** @param onConnected what is to be put in order whenever the engine has come (back) */
  constructor(context: DockerContext, containers: Containers, rules: RestartRules, onConnected: () => Promise<void>) {
    this.#context = context;
    this.#containers = containers;
    this.#rules = rules;
    this.#onConnected = onConnected;
  }

  /** Resolves when the watch stands, or the first attempt has failed or takes too long (it goes on trying). */
  async open(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#watching = this.#watch(first.resolve);
    const waiting = new AbortController();
    const patience = sleep(openWithinMs, undefined, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([first.promise, patience]);
    waiting.abort();
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#watching;
  }

  async #watch(firstDone: () => void): Promise<void> {
    const { signal } = this.#ended;
    for (let pauseMs = 1_000; !signal.aborted; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        const events = await this.#listen();
        await this.#onConnected();
        await this.#lookAround();
        firstDone();
        pauseMs = 500;
        for await (const line of linesOf(events, longestMessage)) await this.#hear(line);
      } catch (error) {
        if (signal.aborted) break;
        this.#context.logger.warn({ reason: messageOf(error) }, 'not watching the Docker engine; trying again');
      }
      firstDone();
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
    firstDone();
  }

  async #listen(): Promise<AsyncIterable<Uint8Array | string>> {
    const filters = {
      type: ['container' as const],
      event: ['start', 'die'],
      ...labelFilter({ instance: this.#context.instance }),
    };
    const { signal } = this.#ended;
    const stream = await asking(() => this.#context.docker.getEvents({ filters, abortSignal: signal }), signal);
    return stream as AsyncIterable<Uint8Array | string>;
  }

  /** What happened while nobody listened. */
  async #lookAround(): Promise<void> {
    for (const role of ['api', 'frontend']) {
      const filters = labelFilter({ instance: this.#context.instance, role });
      const units = await asking(() => this.#context.docker.listContainers({ all: true, filters }));
      for (const { Id: id } of units) await this.#consider(id);
    }
  }

  async #hear(line: string): Promise<void> {
    const heard = event.safeParse(JSON.parse(line));
    if (!heard.success) return;
    const { Action: action, Actor: actor, timeNano } = heard.data;
    const role = actor.Attributes[label.role];
    if (role !== 'api' && role !== 'frontend') return;
    const at = timeNano / 1e6;
    if (action === 'start') {
      this.#starts.set(actor.ID, at);
      return;
    }
    await this.#consider(actor.ID, at - (this.#starts.get(actor.ID) ?? at));
  }

  /** @param ranMs how long its last run was, where that is known */
  async #consider(id: string, ranMs?: number): Promise<void> {
    const info = await askingFor(() => this.#context.docker.getContainer(id).inspect());
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
    // A start by hand sets the engine's count to 0.
    const forgiven = Math.min(this.#forgiven.get(id) ?? 0, info.RestartCount);
    if (info.RestartCount - forgiven < this.#rules.limit) return;
    this.#context.logger.warn({ unit: info.Name.slice(1), restarts: info.RestartCount }, 'gave up restarting a unit');
    await this.#containers.want(id, 'given-up');
    await this.#containers.halt(id);
  }
}
