import { crc32, deflateSync } from 'node:zlib';
import type { Pixels } from './pixels.ts';

const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const [grey, colour] = [0, 2];
/** Packed to be unpacked at once: as fast as can be. */
const fast = { level: 1 };

/** A PNG of the colours of pixels, in those of a profile; their opacity is left out. */
export function profiledPng({ data, width, height }: Pixels, profile: Buffer, inGrey: boolean): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.writeUInt8(8, 8);
  head.writeUInt8(inGrey ? grey : colour, 9);
  return Buffer.concat([
    signature,
    chunk('IHDR', head),
    chunk('iCCP', Buffer.concat([Buffer.from('profile\0\0', 'latin1'), deflateSync(profile, fast)])),
    chunk('IDAT', deflateSync(rows({ data, width, height }, inGrey ? 1 : 3), fast)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Each begins with the number of its filter: none. */
function rows({ data, width, height }: Pixels, channels: number): Buffer {
  const packed = Buffer.alloc((width * channels + 1) * height);
  let to = 0;
  for (let at = 0; at < data.length; at += 4) {
    if (at % (width * 4) === 0) to += 1;
    for (let channel = 0; channel < channels; channel += 1) {
      packed[to] = data[at + channel] as number;
      to += 1;
    }
  }
  return packed;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
