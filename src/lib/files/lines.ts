import { StringDecoder } from 'node:string_decoder';

/** A longer line is cut into pieces of this many characters, so that one endless line can't fill the memory. */
const longestLine = 16_384;

/** A message on a line of its own (JSON) is no use in pieces. */
export const longestMessage = 16 * 1024 * 1024;

/** Cuts chunks of bytes or text into lines (without their ends); an unfinished last line is given out at `end`. */
export class LineSplitter {
  #rest = '';
  readonly #longest: number;
  readonly #decoder = new StringDecoder('utf8');

  /** @param longest of a line, in characters */
  constructor(longest = longestLine) {
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

/** The lines of a byte or text stream as they come. @param longest of a line, in characters */
export async function* linesOf(
  stream: AsyncIterable<Uint8Array | string>,
  longest = longestLine,
): AsyncGenerator<string> {
  const splitter = new LineSplitter(longest);
  for await (const chunk of stream) yield* splitter.push(chunk);
  yield* splitter.end();
}
