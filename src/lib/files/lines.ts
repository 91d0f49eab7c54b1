import { StringDecoder } from 'node:string_decoder';

/** Longer lines are cut into pieces of this many characters, so that an endless line can't fill the memory. */
const maxLineCharacters = 16_384;

/** A message on its own line (JSON) can't be cut. */
export const maxMessageCharacters = 16 * 1024 * 1024;

/** Splits chunks of bytes or text into lines (without their ends); `end` returns an unfinished last line. */
export class LineSplitter {
  #rest = '';
  readonly #longest: number;
  readonly #decoder = new StringDecoder('utf8');

  /** @param longest maximum length of a line, in characters */
  constructor(longest = maxLineCharacters) {
    this.#longest = longest;
  }

  /** The lines completed by this chunk. */
  push(chunk: Uint8Array | string): string[] {
    const text = this.#rest + (typeof chunk === 'string' ? chunk : this.#decoder.write(Buffer.from(chunk)));
    const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
    this.#rest = lines.pop() ?? '';
    const pieces = lines.flatMap((line) => this.#cut(line));
    while (this.#rest.length > this.#longest) {
      pieces.push(this.#rest.slice(0, this.#longest));
      this.#rest = this.#rest.slice(this.#longest);
    }
    return pieces;
  }

  end(): string[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    return rest === '' ? [] : this.#cut(rest);
  }

  #cut(line: string): string[] {
    if (line.length <= this.#longest) return [line];
    const pieces: string[] = [];
    for (let start = 0; start < line.length; start += this.#longest)
      pieces.push(line.slice(start, start + this.#longest));
    return pieces;
  }
}

/** The lines of a byte or text stream as they arrive. @param longest maximum length of a line, in characters */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array | string>,
  longest = maxLineCharacters,
): AsyncGenerator<string> {
  const splitter = new LineSplitter(longest);
  for await (const chunk of stream) yield* splitter.push(chunk);
  yield* splitter.end();
}
