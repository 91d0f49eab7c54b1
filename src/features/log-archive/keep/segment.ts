import type { FileHandle } from 'node:fs/promises';
import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { filterBytes, trigramsOf } from './trigrams.ts';

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * A segment is a file of zstd frames, each after skippable frames (RFC 8878, 3.1.2): one that describes it and, before long texts, one
 * with their trigrams. `zstd -dc` unpacks the file, a search passes over what it does not need, and a frame is there with all it
 * describes or not at all.
 */
const descriptionMagic = 0x184d2a50;
const trigramsMagic = 0x184d2a51;
const prefixBytes = 8;
/** Larger than any description. */
const readAheadBytes = 2_048;
/** A frame's text, in bytes; a description that claims much more is damaged. */
export const frameBytes = 1024 * 1024;
const mostBytes = 64 * frameBytes;
/** Of a text that gets trigrams, in bytes: they would make a short one several times as long. */
const longBytes = frameBytes / 4;

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
  /** Whether its trigrams come before it. */
  trigrams: z.boolean().optional(),
});

/** A frame in a segment. `offset` is that of its compressed text. */
export type Frame = z.output<typeof description> & { offset: number };

/** What describes a frame besides its sizes. */
export type FrameFacts = Omit<Frame, 'size' | 'bytes' | 'offset' | 'trigrams'>;

/** What zlib needs to see the end, and at least its smallest chunk. */
const spareBytes = 64;

/** A frame as it is written at an offset of a segment. */
export async function encodeFrame(
  text: Uint8Array,
  facts: FrameFacts,
  at: number,
): Promise<{ encoded: Buffer; frame: Frame }> {
  const packed = await compress(text, { chunkSize: text.length + spareBytes });
  const trigrams = text.length >= longBytes;
  const described = { ...facts, size: packed.length, bytes: text.length, ...(trigrams && { trigrams }) };
  const before = [
    ...skippable(descriptionMagic, Buffer.from(JSON.stringify(described))),
    ...(trigrams ? skippable(trigramsMagic, trigramsOf(text)) : []),
  ];
  const offset = before.reduce((sum, { length }) => sum + length, at);
  return { encoded: Buffer.concat([...before, packed]), frame: { ...described, offset } };
}

function skippable(magic: number, content: Uint8Array): Uint8Array[] {
  const prefix = Buffer.alloc(prefixBytes);
  prefix.writeUInt32LE(content.length, prefix.writeUInt32LE(magic, 0));
  return [prefix, content];
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
  if (bytes.length < prefixBytes || bytes.readUInt32LE(0) !== descriptionMagic) return undefined;
  const end = prefixBytes + bytes.readUInt32LE(4);
  if (end > bytes.length) return undefined;
  try {
    const described = description.parse(JSON.parse(bytes.toString('utf8', prefixBytes, end)));
    return { ...described, offset: at + end + (described.trigrams ? prefixBytes + filterBytes : 0) };
  } catch {
    return undefined;
  }
}

/** What a frame's text contains at most (see trigramsOf); undefined: not known. */
export async function trigramsBefore(file: FileHandle, { trigrams, offset }: Frame): Promise<Uint8Array | undefined> {
  if (!trigrams) return undefined;
  const { buffer } = await file.read(Buffer.alloc(filterBytes), 0, filterBytes, offset - filterBytes);
  return buffer;
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
