import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { z } from 'zod';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * A segment is a file of zstd frames, each after a skippable frame (RFC 8878, 3.1.2) that describes it: `zstd -dc` unpacks the
 * file, a search passes over what it does not need, and a frame is there with all it describes or not at all.
 */
const magic = 0x184d2a50;
const prefixBytes = 8;
/** Larger than any description. */
const readAheadBytes = 2_048;
/** A frame's text, in bytes; a description that claims much more is damaged. */
export const frameBytes = 1024 * 1024;
const mostBytes = 64 * frameBytes;

const description = z.object({
  /** Of the compressed frame that follows, in bytes. */
  size: z.int().positive(),
  lines: z.int().positive(),
  /** Of the text, in bytes. */
  bytes: z.int().positive().max(mostBytes),
  /** Times of the first and the last line, in ms since 1970. */
  first: z.number(),
  last: z.number(),
  /** When it was collected, in ms since 1970; grows from frame to frame of a unit. */
  at: z.number(),
  /** Of its last line in the runtime's log; null: unknown. */
  position: z.string().nullable(),
});

/** A frame in a segment. `offset` is that of its compressed text. */
export type Frame = z.output<typeof description> & { offset: number };

/** What describes a frame besides its sizes. */
export type FrameFacts = Omit<Frame, 'size' | 'bytes' | 'offset'>;

/** What zlib needs to see the end, and at least its smallest chunk. */
const spareBytes = 64;

/** A frame as it is written at an offset of a segment. */
export async function encodeFrame(
  text: Uint8Array,
  facts: FrameFacts,
  at: number,
): Promise<{ encoded: Buffer; frame: Frame }> {
  const packed = await compress(text, { chunkSize: text.length + spareBytes });
  const described = { ...facts, size: packed.length, bytes: text.length };
  const json = Buffer.from(JSON.stringify(described));
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32LE(json.length, prefix.writeUInt32LE(magic, 0));
  const offset = at + prefixBytes + json.length;
  return { encoded: Buffer.concat([prefix, json, packed]), frame: { ...described, offset } };
}

/** The whole frames of a segment, and where they end: what comes after them was cut off by a crash. */
export async function framesIn(file: FileHandle): Promise<{ frames: Frame[]; end: number }> {
  const { size } = await file.stat();
  const frames: Frame[] = [];
  const buffer = Buffer.alloc(readAheadBytes);
  let end = 0;
  while (end < size) {
    const { bytesRead } = await file.read(buffer, 0, readAheadBytes, end);
    const frame = frameAt(buffer.subarray(0, bytesRead), end);
    if (!frame || frame.offset + frame.size > size) break;
    frames.push(frame);
    end = frame.offset + frame.size;
  }
  return { frames, end };
}

function frameAt(bytes: Buffer, at: number): Frame | undefined {
  if (bytes.length < prefixBytes || bytes.readUInt32LE(0) !== magic) return undefined;
  const end = prefixBytes + bytes.readUInt32LE(4);
  if (end > bytes.length) return undefined;
  try {
    return { ...description.parse(JSON.parse(bytes.toString('utf8', prefixBytes, end))), offset: at + end };
  } catch {
    return undefined;
  }
}

/** The text of a frame. @throws when it is damaged */
export async function textOf(file: FileHandle, frame: Frame): Promise<Buffer> {
  const packed = Buffer.alloc(frame.size);
  await file.read(packed, 0, frame.size, frame.offset);
  // In one piece: by the usual 16 KiB it takes six times the processor time.
  const chunkSize = frame.bytes + spareBytes;
  return decompress(packed, { chunkSize, maxOutputLength: chunkSize });
}

/** The name of a segment: they sort by age. */
export const segmentName = (number: number): string => `${String(number).padStart(6, '0')}.zst`;

/** The number in a segment's name; undefined for other files. */
export function segmentNumber(name: string): number | undefined {
  const digits = /^(\d{6,})\.zst$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}
