import { once } from 'node:events';
import type { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib';
import { OutboundError } from './outbound-error.ts';

/** Accepted codings; servers that send another one are refused. */
export const acceptedCodings = 'gzip, deflate, br';

/**
 * Reads a body to its end, unpacked. Packed and unpacked bytes are counted: an archive bomb is stopped at the limit.
 * @param coding the `content-encoding`
 * @throws OutboundError too_large, broken; the signal's reason when aborted
 */
export async function unpack(
  body: Readable,
  coding: string,
  { limit, what, signal }: { limit: number; what: string; signal: AbortSignal },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const counted = (keep: boolean) =>
    async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      let size = 0;
      for await (const chunk of source) {
        size += chunk.length;
        if (size > limit) throw new OutboundError('too_large', `${what} is larger than ${Math.round(limit / 1024)} KB`);
        if (keep) chunks.push(chunk);
        else yield chunk;
      }
    };
  const decoder = await decoderOf(coding, { body, what, signal });
  if (decoder) await pipeline(body, counted(false), decoder, counted(true), { signal });
  else await pipeline(body, counted(true), { signal });
  return Buffer.concat(chunks);
}

async function decoderOf(
  coding: string,
  { body, what, signal }: { body: Readable; what: string; signal: AbortSignal },
): Promise<Transform | undefined> {
  switch (coding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return (await isBare(body, signal)) ? createInflateRaw() : createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new OutboundError('broken', `${what} came in a content coding that was not asked for`);
  }
}

/** Whether deflated data have no zlib header (RFC 1950): some servers omit it, and browsers accept both. */
async function isBare(body: Readable, signal: AbortSignal): Promise<boolean> {
  await once(body, 'readable', { signal });
  const first: Buffer | null = body.read(1);
  if (first === null) return false;
  body.unshift(first);
  return ((first[0] ?? 0) & 0x0f) !== 8;
}
