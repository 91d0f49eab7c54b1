import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { messageOf } from '../../../../lib/errors.ts';
import { linesOf, longestMessage } from '../../../../lib/files/lines.ts';
import type { DockerContext } from '../context.ts';
import { callDocker } from './errors.ts';

const event = z
  .object({
    Action: z.enum(['start', 'die']),
    timeNano: z.number(),
    Actor: z.object({ ID: z.string(), Attributes: z.record(z.string(), z.string()) }),
  })
  .transform(({ Action: action, timeNano, Actor: { ID: id, Attributes: attributes } }) => ({
    action,
    /** Milliseconds since 1970. */
    at: timeNano / 1e6,
    id,
    /** The container's labels, and its name as `name`. */
    attributes,
  }));

/** A container of the engine, whoever made it, has been started or has ended. */
export type ContainerEvent = z.infer<typeof event>;

interface Listener {
  /** Whenever the engine has come (back): what is to be put in order, and what happened while nobody listened. */
  connected(signal: AbortSignal): Promise<void>;
  /** One event at a time, in their order. */
  heard(event: ContainerEvent, signal: AbortSignal): Promise<void>;
}

const longestPauseMs = 30_000;
/** An engine that takes the connection and says nothing must not keep the manager from starting. */
const openWithinMs = 5_000;

/** The engine's events, whose stream ends with the engine: it is opened again with growing pauses. */
export class EngineEvents {
  readonly #context: DockerContext;
  readonly #listener: Listener;
  readonly #ended = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  constructor(context: DockerContext, listener: Listener) {
    this.#context = context;
    this.#listener = listener;
  }

  /** Resolves when the listener stands, or the first attempt has failed or takes too long (it goes on trying). */
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
        await this.#listener.connected(signal);
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
    const filters = { type: ['container' as const], event: ['start', 'die'] };
    const { signal } = this.#ended;
    const stream = await callDocker(() => this.#context.docker.getEvents({ filters, abortSignal: signal }), signal);
    return stream as AsyncIterable<Uint8Array | string>;
  }

  async #hear(line: string): Promise<void> {
    const heard = event.safeParse(JSON.parse(line));
    if (heard.success) await this.#listener.heard(heard.data, this.#ended.signal);
  }
}
