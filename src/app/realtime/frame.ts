import { BlockEncoding } from '../../lib/streams/block-encoding.ts';

const finalText = 0x81;

/** The header of an unmasked frame has 2 bytes, 4 from 126 bytes of payload on, 10 from 65,536 on (RFC 6455, 5.2). */
function headerSize(payload: number): number {
  if (payload < 126) return 2;
  return payload < 65_536 ? 4 : 10;
}

function writeHeader(payload: number, target: Buffer, offset: number): number {
  target[offset] = finalText;
  const size = headerSize(payload);
  if (size === 2) {
    target[offset + 1] = payload;
  } else if (size === 4) {
    target[offset + 1] = 126;
    target.writeUInt16BE(payload, offset + 2);
  } else {
    target[offset + 1] = 127;
    target.writeBigUInt64BE(BigInt(payload), offset + 2);
  }
  return offset + size;
}

/**
 * Messages as WebSocket text frames. Frames from a server are not masked, so those of one message are the same bytes for
 * all viewers: made once, sent many a write.
 */
export const webSocketFrames = new BlockEncoding({
  sizeOf: ({ json }) => {
    const payload = Buffer.byteLength(json);
    return headerSize(payload) + payload;
  },
  write: ({ json }, target, offset) => {
    const start = writeHeader(Buffer.byteLength(json), target, offset);
    return start + target.write(json, start);
  },
});
