/** Maximum load factor. Searches get slow near it, but lists whose rows have all keys are rare. */
const maxLoad = 0.9;
/** Bytes of a slot. */
const slotBytes = 8;

/**
 * Which key was first seen in which row, in typed arrays of a size that is fixed beforehand: 8 bytes a slot. Of a key's 64-bit
 * hash, one half decides where the search begins and the other is stored, so that about 2^-52 of the pairs of a million keys are
 * taken for equal though they are not.
 */
export class SeenKeys {
  readonly #prints: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #slots: number;
  #left: number;

  /** @param keys maximum number of keys to keep; further ones are only looked up */
  constructor(keys: number) {
    this.#left = Math.max(keys, 16);
    this.#slots = Math.ceil(this.#left / maxLoad);
    this.#prints = new Uint32Array(this.#slots);
    this.#rows = new Uint32Array(this.#slots);
  }

  /** How many keys a number of bytes is enough for. */
  static withinBytes(bytes: number): number {
    return Math.floor((bytes / slotBytes) * maxLoad);
  }

  /** The row in which the key was first seen, or 0. */
  find(hash: Hash64): number {
    return this.#rows[this.#slotOf(hash)] ?? 0;
  }

  /** Keeps the key as seen in `row`, unless it was seen before or there is no room. */
  keep(hash: Hash64, row: number): void {
    const slot = this.#slotOf(hash);
    if (this.#left === 0 || this.#rows[slot] !== 0) return;
    this.#left -= 1;
    this.#prints[slot] = hash.low;
    this.#rows[slot] = row;
  }

  /** Where the key is, or the free slot where it would be; a tenth of the slots is always free. */
  #slotOf({ high, low }: Hash64): number {
    let slot = Math.floor((high / 2 ** 32) * this.#slots);
    while (this.#rows[slot] !== 0 && this.#prints[slot] !== low) slot = slot + 1 === this.#slots ? 0 : slot + 1;
    return slot;
  }
}

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
