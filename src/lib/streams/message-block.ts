import type { NumberedMessage } from './message.ts';

/** A block is full at whichever comes first. About one socket write's worth: more gains no speed, only memory. */
export const blockLimits = { messages: 512, characters: 65_536 } as const;

/**
 * A run of consecutive messages, the unit in which streams are kept, read from the file and handed to viewers. All
 * viewers share it and what is derived from it. It may grow at its end until full; what is in it never changes.
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

  /** About its size in memory. */
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
