import type { MappingTarget } from '../../mapping/field-mapping.ts';

/** Memory outside the thread's heap; enough for a million rows with four keys each. Keys of further rows are only looked up. */
const maxBytes = 44 * 1024 ** 2;

/** The keys that identify duplicates of a person. */
const meaning = {
  email: 'the same e-mail address',
  phone: 'the same name and phone number',
  zip: 'the same name and ZIP code',
} as const;
type Kind = keyof typeof meaning;

export interface Duplicate {
  /** The first row with the same key, as a spreadsheet counts. */
  firstRow: number;
  because: string;
}

/** A number is the same with and without its country's prefix. */
const digitsCompared = 10;
const minDigits = 7;

/**
 * Finds rows that are the person of an earlier row, by the rule of the tenants' bulk import with `skip_duplicates`: one e-mail
 * address, one name and phone number, or one name and ZIP code; two e-mail addresses distinguish two people of one name. A row that
 * was found to be a duplicate adds no keys, as the import adds no person for it.
 * @param rowCount of the list; the memory is measured by it
 */
export function duplicateFinder(
  targets: readonly MappingTarget[],
  rowCount: number,
): (fileRow: number, values: readonly string[]) => Duplicate | undefined {
  const at = (target: MappingTarget): number => targets.indexOf(target);
  const [first, last, emailAt, zipAt] = [at('first_name'), at('last_name'), at('email'), at('zip')];
  const phonesAt = [at('cell_phone'), at('home_phone')];
  const keysOfRow = [emailAt, ...phonesAt, zipAt].filter((index) => index >= 0).length;
  const seen = new SeenKeys(rowCount * keysOfRow);

  function keysOf(values: readonly string[]): Key[] {
    const folded = (index: number): string => (values[index] ?? '').toLowerCase();
    const [email, name, zip] = [folded(emailAt), `${folded(first)}|${folded(last)}`, folded(zipAt)];
    const keys = email === '' ? [] : [keyOf('email', email)];
    if (name === '|') return keys;
    for (const index of phonesAt) {
      const digits = (values[index] ?? '').replace(/\D/g, '').slice(-digitsCompared);
      if (digits.length >= minDigits) keys.push(keyOf('phone', `${name}|${digits}`));
    }
    if (zip !== '') keys.push(keyOf('zip', `${name}|${zip}`));
    return keys;
  }

  return (fileRow, values) => {
    const keys = keysOf(values);
    // A short hash of the address suffices to distinguish two.
    const email = keys[0]?.kind === 'email' ? keys[0].low & 0xffff || 1 : 0;
    for (const key of keys) {
      const earlier = seen.find(key);
      const isOther = key.kind !== 'email' && email !== 0 && earlier.email !== 0 && earlier.email !== email;
      if (earlier.row > 0 && !isOther) return { firstRow: earlier.row, because: meaning[key.kind] };
    }
    for (const key of keys) seen.keep(key, fileRow, email);
    return undefined;
  };
}

interface Key {
  kind: Kind;
  /** 64 bits of its text. */
  high: number;
  low: number;
}

/** Two independent 32-bit hashes that end in MurmurHash3's finaliser; no defence against texts made to collide. */
function keyOf(kind: Kind, text: string): Key {
  let one = 0xdeadbeef ^ kind.charCodeAt(0);
  let two = 0x41c6ce57 ^ kind.charCodeAt(0);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  return { kind, high: mixed(one ^ (two >>> 13)), low: mixed(two ^ (one >>> 13)) };
}

function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

/** Maximum load factor. Searches get slow near it, but lists whose rows have all keys are rare. */
const maxLoad = 0.9;
const slotBytes = 10;

/**
 * Which key was first seen in which row, in typed arrays of a fixed size: as objects, a million rows would exceed the thread's heap.
 * One half of a key's hash decides where the search begins and the other is stored, so that about 2^-52 of the pairs of a million keys
 * are taken for equal though they are not.
 */
class SeenKeys {
  readonly #prints: Uint32Array;
  readonly #rows: Uint32Array;
  readonly #emails: Uint16Array;
  readonly #slots: number;
  #left: number;

  constructor(keys: number) {
    this.#slots = Math.min(Math.ceil(Math.max(keys, 16) / maxLoad), Math.floor(maxBytes / slotBytes));
    this.#left = Math.floor(this.#slots * maxLoad);
    this.#prints = new Uint32Array(this.#slots);
    this.#rows = new Uint32Array(this.#slots);
    this.#emails = new Uint16Array(this.#slots);
  }

  /** The row in which the key was first seen, and its address's short hash; 0 for none. */
  find(key: Key): { row: number; email: number } {
    const slot = this.#slotOf(key);
    return { row: this.#rows[slot] ?? 0, email: this.#emails[slot] ?? 0 };
  }

  /** Keeps the key, unless it was seen before or there is no room. */
  keep(key: Key, row: number, email: number): void {
    const slot = this.#slotOf(key);
    if (this.#left === 0 || this.#rows[slot] !== 0) return;
    this.#left -= 1;
    this.#prints[slot] = key.low;
    this.#rows[slot] = row;
    this.#emails[slot] = email;
  }

  /** Where the key is, or the free slot where it would be; a tenth of the slots is always free. */
  #slotOf({ high, low }: Key): number {
    let slot = Math.floor((high / 2 ** 32) * this.#slots);
    while (this.#rows[slot] !== 0 && this.#prints[slot] !== low) slot = slot + 1 === this.#slots ? 0 : slot + 1;
    return slot;
  }
}
