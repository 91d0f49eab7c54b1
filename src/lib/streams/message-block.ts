import type { NumberedMessage } from './message.ts';

/** A block is full at whichever limit comes first. About one socket write: more gains no speed and costs memory. */
export const blockLimits = { messages: 512, characters: 65_536 } as const;

/**
 * A run of consecutive messages: the unit that streams keep, read from the file and hand to viewers, which share it and what is
 * derived from it. It only grows at its end, until full.
 */
export class MessageBlock {
  readonly first: number;
  readonly messages: NumberedMessage[] = [];
  #characters = 0;

  constructor(first: number) {
    this.first = first;
  }

  /** The number of its last message; `first - 1` while empty. */
  get last(): number {
    return this.first + this.messages.length - 1;
  }

  /** Approximate size in memory. */
  get characters(): number {
    return this.#characters;
  }

  push(message: NumberedMessage): void {
    this.messages.push(message);
    this.#characters += message.json.length;
  }

  isFull(mostMessages: number = blockLimits.messages): boolean {
    return this.messages.length >= mostMessages || this.#characters >= blockLimits.characters;
  }
}
