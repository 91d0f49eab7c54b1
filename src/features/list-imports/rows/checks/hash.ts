/** 64 bits of a text in two halves; kept here and not returned, since a million objects would be waste. */
export interface Hash64 {
  high: number;
  low: number;
}

/** Two independent 32-bit hashes that end in MurmurHash3's finaliser; no defence against texts made to collide. */
export function hashText(text: string, seed: number, into: Hash64): void {
  let one = 0xdeadbeef ^ seed;
  let two = 0x41c6ce57 ^ seed;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  into.high = mixed(one ^ (two >>> 13));
  into.low = mixed(two ^ (one >>> 13));
}

function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
