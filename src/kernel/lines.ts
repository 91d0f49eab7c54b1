import { StringDecoder } from 'node:string_decoder';

/** A longer line is cut into pieces of this many characters, so that one endless line can't fill the memory. */
const longestLine = 16_384;

/** Cuts chunks of bytes or text into lines (without their ends); an unfinished last line is given out at `end`. */
export class LineSplitter {
  #rest = '';
  readonly #decoder = new StringDecoder('utf8');

  /** The lines completed by this chunk. */
  push(chunk: Uint8Array | string): string[] {
    const text = this.#rest + (typeof chunk === 'string' ? chunk : this.#decoder.write(Buffer.from(chunk)));
    const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
    this.#rest = lines.pop() ?? '';
    const pieces = lines.flatMap((line) => (line.length > longestLine ? cut(line) : [line]));
    while (this.#rest.length > longestLine) {
      pieces.push(this.#rest.slice(0, longestLine));
      this.#rest = this.#rest.slice(longestLine);
    }
    return pieces;
  }

  end(): string[] {
    const rest = this.#rest + this.#decoder.end();
    this.#rest = '';
    return rest === '' ? [] : cut(rest);
  }
}

function cut(line: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < line.length; start += longestLine) pieces.push(line.slice(start, start + longestLine));
  return pieces;
}

/** The lines of a byte or text stream as they come. */
export async function* linesOf(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const splitter = new LineSplitter();
  for await (const chunk of stream) yield* splitter.push(chunk);
  yield* splitter.end();
}
