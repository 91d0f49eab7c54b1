import { limits, refused } from '../limits.ts';

const blockBytes = 1024 * 1024;

/**
 * Texts by number, stored as UTF-8 outside the JavaScript heap: two million short ones take about 40 MB here, several times
 * that as strings.
 */
export class TextStore {
  readonly #blocks: Buffer[] = [];
  /** Start of a text: its block's number times the block's size, plus the offset in it. */
  #starts = new Uint32Array(1024);
  #lengths = new Uint32Array(1024);
  #count = 0;
  #free = blockBytes;

  add(text: string): void {
    if (text.length > limits.cell)
      throw refused(`A cell has ${text.length} characters; at most ${limits.cell} are read`);
    if (this.#count === this.#starts.length) this.#grow();
    const bytes = Buffer.byteLength(text);
    if (this.#free + bytes > blockBytes) {
      if (this.#blocks.length * blockBytes >= limits.sharedStrings)
        throw refused('The workbook has too many different texts to be read: save the list as CSV');
      this.#blocks.push(Buffer.allocUnsafe(blockBytes));
      this.#free = 0;
    }
    const block = this.#blocks.length - 1;
    this.#blocks[block]?.write(text, this.#free);
    this.#starts[this.#count] = block * blockBytes + this.#free;
    this.#lengths[this.#count] = bytes;
    this.#free += bytes;
    this.#count += 1;
  }

  get(index: number): string | undefined {
    if (!(index >= 0 && index < this.#count)) return undefined;
    const start = this.#starts[index] ?? 0;
    const at = start % blockBytes;
    return this.#blocks[Math.floor(start / blockBytes)]?.toString('utf8', at, at + (this.#lengths[index] ?? 0));
  }

  #grow(): void {
    const starts = new Uint32Array(this.#starts.length * 2);
    starts.set(this.#starts);
    this.#starts = starts;
    const lengths = new Uint32Array(this.#lengths.length * 2);
    lengths.set(this.#lengths);
    this.#lengths = lengths;
  }
}
