import { isFullBatch, type NumberedMessage } from './message.ts';

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

/** The newest messages of a stream. */
export class MessageRing {
  readonly #limits: RingLimits;
  readonly #messages: NumberedMessage[] = [];
  #characters = 0;
  #untrimmed = { messages: 0, characters: 0 };

  constructor(limits: RingLimits) {
    this.#limits = limits;
  }

  /** Approximate size of all kept messages. */
  get characters(): number {
    return this.#characters;
  }

  /** The number of the oldest message kept; undefined while there is none. */
  get oldest(): number | undefined {
    return this.#messages[0]?.seq;
  }

  /** Adds a message; true when it is time to trim: after each quarter of a limit. */
  push(message: NumberedMessage): boolean {
    this.#messages.push(message);
    this.#characters += message.json.length;
    this.#untrimmed.messages += 1;
    this.#untrimmed.characters += message.json.length;
    const { messages, characters } = this.#limits;
    return this.#untrimmed.messages * 4 >= messages || this.#untrimmed.characters * 4 >= characters;
  }

  /** Drops the oldest messages beyond the limits; the newest stays. */
  trim({ storedUpTo, seenUpTo }: Needs): void {
    this.#untrimmed = { messages: 0, characters: 0 };
    let dropped = 0;
    for (const { seq, json } of this.#messages) {
      const left = this.#messages.length - dropped;
      const spare = left > this.#limits.messages && seq <= seenUpTo;
      if (left === 1 || seq > storedUpTo || !(spare || this.#characters > this.#limits.characters)) break;
      this.#characters -= json.length;
      dropped += 1;
    }
    this.#messages.splice(0, dropped);
  }

  /** A batch of messages from number `seq` on; empty when the ring no longer has it. */
  batchFrom(seq: number): NumberedMessage[] {
    const start = this.#indexOf(seq);
    let end = start;
    for (let characters = 0; end < this.#messages.length && !isFullBatch(end - start, characters); end += 1) {
      characters += this.#messages[end]?.json.length ?? 0;
    }
    return this.#messages.slice(start, end);
  }

  /** Up to `most` messages from number `seq` on. */
  slice(seq: number, most: number): NumberedMessage[] {
    const start = this.#indexOf(seq);
    return this.#messages.slice(start, start + most);
  }

  #indexOf(seq: number): number {
    const index = seq - (this.oldest ?? seq);
    return index < 0 ? this.#messages.length : index;
  }
}
