import type { MessageBlock } from './message-block.ts';
import type { MessageFile } from './message-file.ts';

/** Recently read blocks of a file: viewers that catch up at the same time read, parse and encode each block once. */
export class BlockCache {
  readonly #file: MessageFile;
  readonly #limit: number;
  /** In order of last use. */
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

  /** Reads the block with message `seq`; concurrent callers share one read. */
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

  /** A block that has grown since replaces its shorter version. */
  #keep(block: MessageBlock): void {
    this.#blocks = this.#blocks.filter((other) => other.first !== block.first);
    this.#blocks.push(block);
    if (this.#blocks.length > this.#limit) this.#blocks.shift();
  }
}
