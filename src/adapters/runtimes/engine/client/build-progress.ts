import protobuf from 'protobufjs/light.js';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { LineSplitter, linesOf, maxMessageCharacters } from '../../../../lib/files/lines.ts';
import { callDocker, translateError } from './errors.ts';

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
  if (progress.error !== undefined) throw new ProgressError(progress.error, progress.unresolved);
}

/** A build or pull that failed, in the engine's words. */
export class ProgressError extends Error {
  /** The image that a build was looking up last, if that failed. */
  readonly image: string | undefined;

  constructor(message: string, image: string | undefined) {
    super(message);
    this.name = 'ProgressError';
    this.image = image;
  }
}

/** One step. The times are only present or missing here. */
interface Vertex {
  digest: string;
  name: string;
  cached: boolean;
  started: Uint8Array;
  completed: Uint8Array;
  error: string;
}

interface Status {
  vertexes: Vertex[];
  /** Output of steps. */
  logs: { vertex: string; message: Uint8Array }[];
}

/** BuildKit's steps that ask for an image, or for a frontend. */
const lookUp = /^(?:\[internal\] load metadata for|resolve image config for) (?:docker-image:\/\/)?(\S+)/;

/** The part of BuildKit's control.proto that is read. */
const statusResponse = protobuf.Root.fromJSON({
  nested: {
    StatusResponse: {
      fields: {
        vertexes: { rule: 'repeated', type: 'Vertex', id: 1 },
        logs: { rule: 'repeated', type: 'VertexLog', id: 3 },
      },
    },
    Vertex: {
      fields: {
        digest: { type: 'string', id: 1 },
        name: { type: 'string', id: 3 },
        cached: { type: 'bool', id: 4 },
        started: { type: 'bytes', id: 5 },
        completed: { type: 'bytes', id: 6 },
        error: { type: 'string', id: 7 },
      },
    },
    VertexLog: { fields: { vertex: { type: 'string', id: 1 }, message: { type: 'bytes', id: 4 } } },
  },
}).lookupType('StatusResponse');

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
  /** The image that is being looked up. */
  unresolved: string | undefined;

  /** The lines of one JSON message of the stream. */
  lines(json: string): string[] {
    const message = parse(json);
    if (!message) return [];
    const { error, errorDetail: detail } = message;
    // Engines send both; `error` alone is to go (API 1.48).
    if (typeof detail === 'object' && detail && 'message' in detail) this.error = String(detail.message);
    else if (typeof error === 'string') this.error = error;
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

  #status(message: Buffer): string[] {
    const { vertexes, logs } = decode(message);
    return [...vertexes.flatMap((vertex) => this.#step(vertex)), ...logs.flatMap((log) => this.#output(log))];
  }

  #step({ digest, name, cached, started, completed, error }: Vertex): string[] {
    const lines: string[] = [];
    const image = lookUp.exec(name)?.[1];
    if (image !== undefined && started.length > 0)
      this.unresolved = completed.length > 0 && error === '' ? undefined : image;
    if (started.length > 0 && this.#isNews(digest)) lines.push(cached ? `${name} (cached)` : name);
    if (completed.length > 0) {
      lines.push(...(this.#outputs.get(digest)?.end() ?? []));
      this.#outputs.delete(digest);
      if (error !== '' && this.#isNews(`${digest} failed`)) lines.push(`${name}: ${error}`);
    }
    return lines;
  }

  #output({ vertex, message }: Status['logs'][number]): string[] {
    const output = this.#outputs.get(vertex) ?? new LineSplitter();
    this.#outputs.set(vertex, output);
    return output.push(Buffer.from(message));
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

/** A damaged message is no reason to end the build. */
function decode(message: Buffer): Status {
  try {
    return statusResponse.decode(message) as unknown as Status;
  } catch {
    return { vertexes: [], logs: [] };
  }
}
