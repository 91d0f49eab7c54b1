import { LineSplitter, linesOf, maxMessageCharacters } from '../../../../lib/files/lines.ts';
import type { Work } from '../../runtime.ts';
import { callDocker, translateError } from './errors.ts';

/** One field of a protobuf message: a number for varints, the bytes for strings, bytes and nested messages. */
interface Field {
  number: number;
  value: number | Buffer;
}

/**
 * The fields of a protobuf message, in order; fixed-size numbers are skipped. Enough for the engine's build messages, and no
 * schema compiler is needed.
 * @see https://protobuf.dev/programming-guides/encoding/
 */
function* fieldsOf(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 1; at < message.length; shift *= 128) {
      const byte = message[at] ?? 0;
      at += 1;
      value += (byte & 0x7f) * shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    switch (tag % 8) {
      case 0:
        yield { number, value: varint() };
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const length = varint();
        yield { number, value: message.subarray(at, at + length) };
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return;
    }
  }
}

/** A nested message's or string's bytes by field number; the last one counts, as protobuf specifies. */
function bytesIn(message: Buffer, number: number): Buffer | undefined {
  let found: Buffer | undefined;
  for (const field of fieldsOf(message))
    if (field.number === number && Buffer.isBuffer(field.value)) found = field.value;
  return found;
}

const textIn = (message: Buffer, number: number): string => bytesIn(message, number)?.toString('utf8') ?? '';

/**
 * Follows a build or a pull to its end, line by line.
 * @param begin opens the stream; gets the signal, so that an abort closes the connection and the engine ends the work
 * @throws Error with the engine's message for a failure inside the stream; the signal's reason when aborted
 */
export async function followProgress(
  begin: (signal: AbortSignal) => Promise<NodeJS.ReadableStream>,
  work: Work,
): Promise<void> {
  const stream = await callDocker(() => begin(work.signal), work.signal);
  const progress = new BuildProgress();
  try {
    for await (const json of linesOf(stream as AsyncIterable<Uint8Array | string>, maxMessageCharacters))
      for (const line of progress.lines(json)) work.log(line);
  } catch (error) {
    throw translateError(error, work.signal);
  }
  for (const line of progress.end()) work.log(line);
  if (progress.error !== undefined) throw new Error(progress.error);
}

/** Field numbers of BuildKit's control.proto: StatusResponse, Vertex (one step), VertexLog (output of a step). */
const field = {
  vertexes: 1,
  logs: 3,
  vertex: { digest: 1, name: 3, cached: 4, started: 5, completed: 6, error: 7 },
  log: { vertex: 1, message: 4 },
};

/**
 * Turns the engine's stream of a build or pull into lines: one per step, per output line and per change of a layer's state; no
 * progress bars. (dockerode 5.0.1's own decoder leaves the output of the steps in base64.)
 */
export class BuildProgress {
  readonly #outputs = new Map<string, LineSplitter>();
  readonly #classic = new LineSplitter();
  readonly #said = new Set<string>();
  /** The failure reported inside the stream, long after the answer 200. */
  error: string | undefined;

  /** The lines of one JSON message of the stream. */
  lines(json: string): string[] {
    const message = parse(json);
    if (!message) return [];
    if (typeof message.error === 'string') this.error = message.error;
    if (message.id === 'moby.buildkit.trace' && typeof message.aux === 'string')
      return this.#status(Buffer.from(message.aux, 'base64'));
    if (typeof message.stream === 'string')
      return this.#classic.push(message.stream).filter((line) => line.trim() !== '');
    if (typeof message.status === 'string') return this.#pulled(message.status, message.id);
    return [];
  }

  /** Output of steps without a final newline. */
  end(): string[] {
    return [this.#classic, ...this.#outputs.values()].flatMap((output) => output.end());
  }

  #status(status: Buffer): string[] {
    const lines: string[] = [];
    for (const { number, value } of fieldsOf(status)) {
      if (!Buffer.isBuffer(value)) continue;
      if (number === field.vertexes) lines.push(...this.#step(value));
      if (number === field.logs) lines.push(...this.#output(value));
    }
    return lines;
  }

  #step(vertex: Buffer): string[] {
    const { digest, name, cached, started, completed, error } = field.vertex;
    const title = textIn(vertex, name);
    const failure = textIn(vertex, error);
    const isCached = [...fieldsOf(vertex)].some(({ number, value }) => number === cached && value === 1);
    const key = textIn(vertex, digest);
    const lines: string[] = [];
    if (bytesIn(vertex, started) && this.#isNews(key)) lines.push(isCached ? `${title} (cached)` : title);
    if (bytesIn(vertex, completed)) {
      lines.push(...(this.#outputs.get(key)?.end() ?? []));
      this.#outputs.delete(key);
      if (failure !== '' && this.#isNews(`${key} failed`)) lines.push(`${title}: ${failure}`);
    }
    return lines;
  }

  #output(log: Buffer): string[] {
    const vertex = textIn(log, field.log.vertex);
    const output = this.#outputs.get(vertex) ?? new LineSplitter();
    this.#outputs.set(vertex, output);
    return output.push(bytesIn(log, field.log.message) ?? Buffer.alloc(0));
  }

  #pulled(status: string, id: unknown): string[] {
    const line = typeof id === 'string' ? `${id}: ${status}` : status;
    return this.#isNews(line) ? [line] : [];
  }

  #isNews(key: string): boolean {
    if (this.#said.has(key)) return false;
    this.#said.add(key);
    return true;
  }
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const message: unknown = JSON.parse(json);
    return typeof message === 'object' && message !== null ? (message as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
