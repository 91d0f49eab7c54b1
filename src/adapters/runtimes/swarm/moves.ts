import { setTimeout as sleep } from 'node:timers/promises';
import { backoff, retry } from '../../../lib/concurrency/retry.ts';
import { messageOf } from '../../../lib/errors.ts';
import { linesOf, maxMessageCharacters } from '../../../lib/files/lines.ts';
import { label, labelFilter } from '../engine/labels.ts';
import { listServices } from './client/services.ts';
import { listNodes, listTasks } from './client/tasks.ts';
import type { SwarmContext } from './context.ts';
import { isRunning } from './units/unit-state.ts';

/** Tasks have no events: units are looked at in these intervals, and more often for a while after an event of a node. */
const intervals = { normalMs: 15_000, soonMs: 1_000, soonForMs: 60_000 };

/** Watches on which nodes the units run. */
export class Moves {
  readonly #context: SwarmContext;
  readonly #connected: () => Promise<void>;
  readonly #listeners: ((tenantId: string) => void)[] = [];
  readonly #ended = new AbortController();
  /** The node of each unit that runs or ran. */
  readonly #nodes = new Map<string, string>();
  #soonUntil = 0;
  #wake = new AbortController();
  #watching: Promise<unknown> = Promise.resolve();

  /** @param connected called when a manager is (again) reachable */
  constructor(context: SwarmContext, connected: () => Promise<void>) {
    this.#context = context;
    this.#connected = connected;
  }

  /** Calls the listener with a tenant's id when one of its units runs on another node than before. */
  onMove(listener: (tenantId: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Resolves after the first attempt; further ones go on. */
  async open(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#watching = Promise.all([this.#watchEvents(first.resolve), this.#lookAgain()]);
    await first.promise;
  }

  async close(): Promise<void> {
    this.#ended.abort();
    this.#wake.abort();
    await this.#watching;
  }

  async #watchEvents(firstDone: () => void): Promise<void> {
    const { signal } = this.#ended;
    const listen = async (): Promise<never> => {
      const filters = { scope: ['swarm'], type: ['node'] };
      // No `since`: a full look replaces what was missed.
      const events = await this.#context.follow((docker) =>
        docker.getEvents({ filters, abortSignal: signal } as Parameters<typeof docker.getEvents>[0]),
      );
      await this.#connected();
      this.#lookSoon();
      firstDone();
      for await (const _ of linesOf(events as AsyncIterable<Uint8Array>, maxMessageCharacters)) this.#lookSoon();
      throw new Error('the manager ended its events');
    };
    await retry(listen, {
      delaysMs: backoff(500, 15_000),
      signal,
      isTransient: () => true,
      onFailure: (error) => {
        firstDone();
        this.#context.logger.warn({ reason: messageOf(error) }, 'not watching the swarm; retrying');
      },
    }).catch(() => undefined);
    firstDone();
  }

  #lookSoon(): void {
    this.#soonUntil = performance.now() + intervals.soonForMs;
    this.#wake.abort();
  }

  async #lookAgain(): Promise<void> {
    while (!this.#ended.signal.aborted) {
      if (this.#listeners.length > 0)
        await this.#look().catch((error: unknown) => {
          this.#context.logger.debug({ reason: messageOf(error) }, 'could not look where units run');
        });
      this.#wake = new AbortController();
      if (this.#ended.signal.aborted) return;
      const delayMs = performance.now() < this.#soonUntil ? intervals.soonMs : intervals.normalMs;
      await sleep(delayMs, undefined, { signal: this.#wake.signal, ref: false }).catch(() => undefined);
    }
  }

  async #look(): Promise<void> {
    const { instance } = this.#context;
    const wanted = { ...labelFilter({ instance }), 'desired-state': ['running'] };
    const [services, tasks, nodes] = await Promise.all([
      listServices(this.#context),
      listTasks(this.#context, wanted),
      listNodes(this.#context),
    ]);
    const found = new Map(services.map((service) => [service.id, service.labels]));
    for (const task of tasks) {
      const labels = found.get(task.serviceId);
      if (labels?.[label.slot] !== 'live' || !isRunning(task, nodes)) continue;
      const tenantId = labels[label.tenant] ?? '';
      const unit = `${tenantId} ${labels[label.role]}`;
      const before = this.#nodes.get(unit);
      this.#nodes.set(unit, task.nodeId);
      if (before !== undefined && before !== task.nodeId) for (const listener of this.#listeners) listener(tenantId);
    }
  }
}
