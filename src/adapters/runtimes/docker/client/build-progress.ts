import { LineSplitter } from '../../../../lib/files/lines.ts';
import { bytesIn, fieldsOf, textIn } from './protobuf.ts';

/** Field numbers of BuildKit's control.proto: StatusResponse, Vertex (one step), VertexLog (output of a step). */
const field = {
  vertexes: 1,
  logs: 3,
  vertex: { digest: 1, name: 3, cached: 4, started: 5, completed: 6, error: 7 },
  log: { vertex: 1, message: 4 },
};

/**
 * Turns what the engine streams while it builds or pulls into lines: one a step, each output line of a step, each change of a
 * layer's state; no progress bars. (dockerode has a decoder too; 5.0.1 leaves the output of the steps in base64.)
 */
export class BuildProgress {
  readonly #outputs = new Map<string, LineSplitter>();
  readonly #classic = new LineSplitter();
  readonly #said = new Set<string>();
  /** What the stream says went wrong: the answer was 200 long ago when it is known. */
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

  /** What the steps had not ended with a newline. */
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
