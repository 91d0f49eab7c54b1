import { DockerApiError } from './errors.ts';

/** A piece of a container's output. */
interface LogFrame {
  stream: 'stdout' | 'stderr';
  content: Buffer;
}

const headerLength = 8;

/**
 * Splits the engine's multiplexed streams (containers without a terminal): an 8-byte header before each frame holds the
 * stream's number (1 stdout, 2 stderr, 3 an error of the engine's own), three zeros and the content's length.
 * @throws DockerApiError for an error inside the stream
 */
export async function* framesOf(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<LogFrame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = Buffer.concat([rest, Buffer.from(chunk as Uint8Array)]);
    let start = 0;
    while (rest.length - start >= headerLength) {
      const end = start + headerLength + rest.readUInt32BE(start + 4);
      if (rest.length < end) break;
      const content = rest.subarray(start + headerLength, end);
      if (rest[start] === 3) throw new DockerApiError(500, content.toString('utf8').trim(), undefined);
      yield { stream: rest[start] === 2 ? 'stderr' : 'stdout', content };
      start = end;
    }
    rest = rest.subarray(start);
  }
}
