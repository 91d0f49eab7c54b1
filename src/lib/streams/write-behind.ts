import { messageOf } from '../errors.ts';
import type { MessageFile } from './message-file.ts';
import type { MessageRing } from './message-ring.ts';

interface WriteBehindOptions {
  file: MessageFile;
  ring: MessageRing;
  /** The number of the last message already in the file. */
  lastSeq: number;
  onWritten(): void;
  /** Called once: nothing is written afterwards. */
  onGiveUp(reason: string): void;
}

const messagesPerWrite = 8_192;

/** Writes a stream's messages from the ring to the file in batches, while the stream continues. */
export class WriteBehind {
  readonly #options: WriteBehindOptions;
  #storedUpTo: number;
  #givenUp = false;
  #writing: Promise<void> | undefined;
  #finished: Promise<void> | undefined;

  constructor(options: WriteBehindOptions) {
    this.#options = options;
    this.#storedUpTo = options.lastSeq;
  }

  /** The number of the last message in the file. */
  get storedUpTo(): number {
    return this.#storedUpTo;
  }

  get givenUp(): boolean {
    return this.#givenUp;
  }

  /** Writes messages that are in the ring and not in the file; never rejects. */
  write(): Promise<void> {
    this.#writing ??= this.#writePending().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  /** Resolves when the file contains message `seq`, or has failed. */
  async reaches(seq: number): Promise<void> {
    while (!this.#givenUp && this.#storedUpTo < seq) await this.write();
  }

  /** After the end of the stream: writes the rest and closes the file. */
  finish(): Promise<void> {
    this.#finished ??= this.write()
      .then(() => this.#options.file.close())
      .catch((error: unknown) => this.giveUp(messageOf(error)));
    return this.#finished;
  }

  giveUp(reason: string): void {
    if (this.#givenUp) return;
    this.#givenUp = true;
    this.#options.onGiveUp(reason);
  }

  async #writePending(): Promise<void> {
    const { file, ring } = this.#options;
    while (!this.#givenUp) {
      const pending = ring.slice(this.#storedUpTo + 1, messagesPerWrite);
      const last = pending.at(-1);
      if (!last) return;
      try {
        await file.append(pending);
        this.#storedUpTo = last.seq;
        this.#options.onWritten();
      } catch (error) {
        this.giveUp(messageOf(error));
      }
    }
  }
}
