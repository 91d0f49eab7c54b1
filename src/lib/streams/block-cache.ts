import type { MessageBlock } from './message-block.ts';
import type { MessageFile } from './message-file.ts';

/** Blocks lately read from a file: viewers that catch up side by side read, parse and encode each block once. */
export class BlockCache {
  readonly #file: MessageFile;
  readonly #limit: number;
  /** In the order of their last use. */
  #blocks: MessageBlock[] = [];
  readonly #loading = new Map<number, Promise<MessageBlock | undefined>>();

  constructor(file: MessageFile, limit = 16) {
    this.#file = file;
    this.#limit = limit;
  }

  find(seq: number): MessageBlock | undefined {
    const at = this.#blocks.findLastIndex((block) => block.first <= seq && seq <= block.last);
    const block = this.#blocks[at];
    if (block && at < this.#blocks.length - 1) {
      this.#blocks.splice(at, 1);
      this.#blocks.push(block);
    }
    return block;
  }

  /** Reads the block that holds message `seq`; askers at the same time share one reading. */
  load(seq: number): Promise<MessageBlock | undefined> {
    const running = this.#loading.get(seq);
    if (running) return running;
    const loading = this.#file.read(seq).then((block) => {
      if (block) this.#keep(block);
      return block;
    });
    this.#loading.set(seq, loading);
    const done = (): void => void this.#loading.delete(seq);
    loading.then(done, done);
    return loading;
  }

  /** A block read again when it had grown takes the place of its shorter self. */
  #keep(block: MessageBlock): void {
    this.#blocks = this.#blocks.filter((other) => other.first !== block.first);
    this.#blocks.push(block);
    if (this.#blocks.length > this.#limit) this.#blocks.shift();
  }
}
