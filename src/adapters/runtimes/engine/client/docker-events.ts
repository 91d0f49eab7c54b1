import { z } from 'zod';
import { delayAfter, retry } from '../../../../lib/concurrency/retry.ts';
import { withTimeout } from '../../../../lib/concurrency/timeout.ts';
import { messageOf } from '../../../../lib/errors.ts';
import { linesOf, maxMessageCharacters } from '../../../../lib/files/lines.ts';
import type { EngineContext } from '../context.ts';
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

/** Called when any container of the engine has started or ended. */
export type ContainerEvent = z.infer<typeof event>;

interface Listener {
  /** Called when the engine is (again) reachable: repairs what needs it, and catches up on missed events. */
  connected(signal: AbortSignal): Promise<void>;
  /** One event at a time, in order. */
  onEvent(event: ContainerEvent, signal: AbortSignal): Promise<void>;
}

const firstDelayMs = 500;
const maxDelayMs = 30_000;
/** An engine that accepts the connection and does not answer must not block the manager's start. */
const openWithinMs = 5_000;

/** The engine's events. The stream ends with the engine and is reopened with growing delays. */
export class EngineEvents {
  readonly #context: EngineContext;
  readonly #listener: Listener;
  readonly #ended = new AbortController();
  #watching: Promise<void> = Promise.resolve();

  constructor(context: EngineContext, listener: Listener) {
    this.#context = context;
    this.#listener = listener;
  }

  /** Resolves when it listens, or after the first attempt has failed or timed out (attempts continue). */
  async open(): Promise<void> {
    const first = Promise.withResolvers<void>();
    this.#watching = this.#watch(first.resolve);
    await withTimeout(() => first.promise, { timeoutMs: openWithinMs }).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#watching;
  }

  async #watch(firstDone: () => void): Promise<void> {
    const { signal } = this.#ended;
    let failures = 0;
    const listen = async (): Promise<never> => {
      const events = await this.#listen();
      await this.#listener.connected(signal);
      firstDone();
      failures = 0;
      for await (const line of linesOf(events, maxMessageCharacters)) await this.#handle(line);
      throw new Error('the engine ended its events');
    };
    const delays = function* (): Generator<number> {
      for (;;) {
        failures += 1;
        yield delayAfter(failures, firstDelayMs, maxDelayMs);
      }
    };
    const onFailure = (error: unknown): void => {
      firstDone();
      this.#context.logger.warn({ reason: messageOf(error) }, 'not watching the Docker engine; retrying');
    };
    await retry(listen, { delaysMs: delays(), signal, isTransient: () => true, onFailure }).catch(() => undefined);
    firstDone();
  }

  async #listen(): Promise<AsyncIterable<Uint8Array | string>> {
    const filters = { type: ['container' as const], event: ['start', 'die'] };
    const { signal } = this.#ended;
    const stream = await callDocker(() => this.#context.docker.getEvents({ filters, abortSignal: signal }), signal);
    return stream as AsyncIterable<Uint8Array | string>;
  }

  async #handle(line: string): Promise<void> {
    const parsed = event.safeParse(JSON.parse(line));
    if (parsed.success) await this.#listener.onEvent(parsed.data, this.#ended.signal);
  }
}
