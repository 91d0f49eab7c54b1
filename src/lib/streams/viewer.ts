import type { NumberedMessage } from './message.ts';
import { type ReplayStream, ViewerLagged } from './replay-stream.ts';

/** Why a viewer gets no more: the stream ended, overtook the viewer, or its file can't be read. */
export type ViewerEnd = 'ended' | 'lagged' | 'unreadable';

interface ViewerOptions {
  stream: ReplayStream;
  /** The last message the viewer has received. */
  since: number;
  /** Resolves when the connection has accepted the messages, or is closed; batches are sent one by one. Must not throw. */
  send(batch: readonly NumberedMessage[]): Promise<unknown>;
  /** No more messages follow. Not called after `stop`. */
  onEnd(reason: ViewerEnd): void;
}

/** Sends a stream to a connection as fast as it accepts messages; the rest stays in the stream. */
export class Viewer {
  readonly #stopped = new AbortController();
  #seq: number;
  #sendingSince: number | undefined;

  constructor(options: ViewerOptions) {
    this.#seq = options.since;
    void this.#serve(options);
  }

  /** The number of the last message sent. */
  get seq(): number {
    return this.#seq;
  }

  /** How long the connection has not accepted the last batch, in milliseconds. */
  stalledFor(): number {
    return this.#sendingSince === undefined ? 0 : performance.now() - this.#sendingSince;
  }

  stop(): void {
    this.#stopped.abort();
  }

  async #serve({ stream, since, send, onEnd }: ViewerOptions): Promise<void> {
    const { signal } = this.#stopped;
    let end: ViewerEnd = 'ended';
    try {
      for await (const batch of stream.follow(since, signal)) {
        this.#seq = batch.at(-1)?.seq ?? this.#seq;
        this.#sendingSince = performance.now();
        await send(batch);
        this.#sendingSince = undefined;
      }
    } catch (error) {
      end = error instanceof ViewerLagged ? 'lagged' : 'unreadable';
    }
    if (!signal.aborted) onEnd(end);
  }
}
