import { every } from '../../../../lib/concurrency/poll.ts';
import { messageOf } from '../../../../lib/errors.ts';
import type { SwarmContext } from '../context.ts';

/** Asks the nodes something from time to time. */
export abstract class RepeatedProbe {
  readonly #logger: SwarmContext['logger'];
  readonly #intervalMs: number;
  readonly #failure: string;
  readonly #ended = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /** @param failure the log's message when the nodes could not be asked */
  constructor({ logger }: Pick<SwarmContext, 'logger'>, intervalMs: number, failure: string) {
    this.#logger = logger;
    this.#intervalMs = intervalMs;
    this.#failure = failure;
  }

  /** Probes once. */
  protected abstract run(signal: AbortSignal): Promise<void>;

  /** Probes now and after each interval, in the background. */
  open(): void {
    this.#running = this.#repeat(this.#ended.signal);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    await this.#running;
  }

  async #repeat(signal: AbortSignal): Promise<void> {
    for await (const _ of every(this.#intervalMs, signal))
      await this.run(signal).catch((error: unknown) => {
        if (!signal.aborted) this.#logger.warn({ reason: messageOf(error) }, this.#failure);
      });
  }
}
