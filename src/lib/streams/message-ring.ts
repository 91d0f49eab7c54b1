import type { NumberedMessage } from './message.ts';
import { blockLimits, MessageBlock } from './message-block.ts';

interface RingLimits {
  /** At least this many of the newest messages are kept for new viewers … */
  messages: number;
  /** … unless they exceed this size. */
  characters: number;
}

/** Bounds of trimming. */
interface Needs {
  /** Later messages are not stored elsewhere yet: never dropped. */
  storedUpTo: number;
  /** A viewer still waits for later messages: kept while there is room. */
  seenUpTo: number;
}

/** The newest messages of a stream, in blocks. */
export class MessageRing {
  readonly #limits: RingLimits;
  readonly #blockMessages: number;
  readonly #blocks: MessageBlock[] = [];
  #messages = 0;
  #characters = 0;

  constructor(limits: RingLimits) {
    this.#limits = limits;
    // At most a quarter of the ring: dropping a block must not empty a small ring.
    this.#blockMessages = Math.max(1, Math.min(blockLimits.messages, Math.ceil(limits.messages / 4)));
  }

  /** Approximate size of all kept messages. */
  get characters(): number {
    return this.#characters;
  }

  /** Adds a message; true when it started a new block: time to trim. */
  push(message: NumberedMessage): boolean {
    let block = this.#blocks.at(-1);
    const begins = !block || block.isFull(this.#blockMessages);
    if (!block || begins) {
      block = new MessageBlock(message.seq);
      this.#blocks.push(block);
    }
    block.push(message);
    this.#messages += 1;
    this.#characters += message.json.length;
    return begins;
  }

  /** The block that holds message `seq`, if the ring still does. */
  find(seq: number): MessageBlock | undefined {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const block = this.#blocks[middle];
      if (!block) return undefined;
      if (seq < block.first) high = middle - 1;
      else if (seq > block.last) low = middle + 1;
      else return block;
    }
    return undefined;
  }

  /** The number of the oldest message kept; undefined while there is none. */
  get oldest(): number | undefined {
    return this.#blocks[0]?.first;
  }

  /** Drops the oldest blocks beyond the limits. */
  trim({ storedUpTo, seenUpTo }: Needs): void {
    for (let block = this.#blocks[0]; block && this.#blocks.length > 1; block = this.#blocks[0]) {
      const spare = this.#messages - block.messages.length >= this.#limits.messages && block.last <= seenUpTo;
      if (!(spare || this.#characters > this.#limits.characters) || block.last > storedUpTo) return;
      this.#blocks.shift();
      this.#messages -= block.messages.length;
      this.#characters -= block.characters;
    }
  }

  /** Up to `most` messages from number `from` on. */
  slice(from: number, most: number): NumberedMessage[] {
    const taken: NumberedMessage[] = [];
    for (let seq = from; taken.length < most; ) {
      const block = this.find(seq);
      if (!block) break;
      for (let at = seq - block.first; at < block.messages.length && taken.length < most; at += 1) {
        const message = block.messages[at];
        if (message) taken.push(message);
      }
      seq = block.last + 1;
    }
    return taken;
  }
}
