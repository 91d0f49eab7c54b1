/** A piece of a container's output. */
interface LogFrame {
  stream: 'stdout' | 'stderr';
  content: Buffer;
}

const headerLength = 8;

/**
 * Splits the engine's multiplexed streams (containers without a terminal): an 8-byte header before each frame holds the
 * stream's number (1 stdout, 2 stderr), three zeros and the content's length.
 */
export async function* framesOf(source: AsyncIterable<Uint8Array | string>): AsyncGenerator<LogFrame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = Buffer.concat([rest, Buffer.from(chunk as Uint8Array)]);
    let start = 0;
    while (rest.length - start >= headerLength) {
      const end = start + headerLength + rest.readUInt32BE(start + 4);
      if (rest.length < end) break;
      const stream = rest[start] === 2 ? 'stderr' : 'stdout';
      yield { stream, content: rest.subarray(start + headerLength, end) };
      start = end;
    }
    rest = rest.subarray(start);
  }
}
