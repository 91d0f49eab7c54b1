import { poll } from '../../lib/concurrency/poll.ts';
import type { ReplayStream, StreamMessage } from '../../lib/streams/replay-stream.ts';

/** So many lines, or characters, may be read ahead of who looks on: a part of what a stream keeps for those who lag. */
const mostLines = 10_000;
const mostCharacters = 2 * 1024 * 1024;
/** How long one who is slow is waited for: others see five thousand lines a second all the same. */
const timeoutMs = 2_000;

/**
 * Reads a log no faster than its viewers take it, within bounds: what lies ready by the hundred thousand would overtake them,
 * and lines be lost that nothing but our haste drives on. The unit that writes them waits for nobody.
 */
export class Backpressure {
  readonly #tail: ReplayStream;
  #lines = 0;
  #characters = 0;

  constructor(tail: ReplayStream) {
    this.#tail = tail;
  }

  /** To be awaited after each message. Never throws. */
  async after({ message }: StreamMessage, signal: AbortSignal): Promise<void> {
    this.#lines += 1;
    this.#characters += String(message).length;
    if (this.#lines < mostLines && this.#characters < mostCharacters) return;
    this.#lines = 0;
    this.#characters = 0;
    const taken = async () => (this.#tail.behind === 0 ? true : undefined);
    await poll(taken, { timeoutMs: timeoutMs, intervalMs: 5, signal }).catch(() => undefined);
  }
}
