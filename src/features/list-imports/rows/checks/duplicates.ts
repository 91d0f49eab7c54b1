import type { MappingTarget } from '../../mapping/field-mapping.ts';
import { type Hash64, hashText, SeenKeys } from './seen-keys.ts';

/** Memory outside the thread's heap; enough for a million rows with four keys each. Keys of further rows are only looked up. */
const maxBytes = 36 * 1024 ** 2;

/** The keys that identify duplicates of a person, and their fields. */
const kinds = ['email', 'phone', 'zip'] as const;
type Kind = (typeof kinds)[number];

const meaning: Record<Kind, string> = {
  email: 'the same e-mail address',
  phone: 'the same name and phone number',
  zip: 'the same name and ZIP code',
};

export interface Duplicate {
  /** Data row of the first with the same key. */
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
): (row: number, values: readonly string[]) => Duplicate | undefined {
  const at = (target: MappingTarget): number => targets.indexOf(target);
  const [first, last, emailAt] = [at('first_name'), at('last_name'), at('email')];
  const phonesAt = [at('cell_phone'), at('home_phone')];
  const zipAt = at('zip');
  const keysOfRow = [emailAt, ...phonesAt, zipAt].filter((index) => index >= 0).length;
  const seen = new SeenKeys(Math.min(rowCount * keysOfRow, SeenKeys.withinBytes(maxBytes)));
  // A short hash of each row's address suffices to distinguish two.
  const emails = new Uint16Array(emailAt < 0 ? 0 : Math.min(rowCount, maxBytes / 8) + 1);
  // Used again for each row: a million rows would leave four million objects.
  const hashes: Hash64[] = [emailAt, ...phonesAt, zipAt].map(() => ({ high: 0, low: 0 }));
  const kindOf: Kind[] = hashes.map(() => 'email');
  let count = 0;

  const key = (kind: Kind, text: string): void => {
    hashText(text, kinds.indexOf(kind), hashes[count] as Hash64);
    kindOf[count] = kind;
    count += 1;
  };

  return (row, values) => {
    count = 0;
    let email = 0;
    const emailText = folded(values[emailAt] ?? '');
    if (emailText !== '') {
      key('email', emailText);
      email = (hashes[0] as Hash64).low & 0xffff || 1;
    }
    const name = `${folded(values[first] ?? '')}|${folded(values[last] ?? '')}`;
    if (name !== '|') {
      for (const index of phonesAt) {
        const digits = (values[index] ?? '').replace(/\D/g, '').slice(-digitsCompared);
        if (digits.length >= minDigits) key('phone', `${name}|${digits}`);
      }
      const zip = folded(values[zipAt] ?? '');
      if (zip !== '') key('zip', `${name}|${zip}`);
    }
    for (let index = 0; index < count; index += 1) {
      const firstRow = seen.find(hashes[index] as Hash64);
      if (firstRow === 0) continue;
      const other = emails[firstRow] ?? 0;
      const kind = kindOf[index] as Kind;
      if (kind !== 'email' && email !== 0 && other !== 0 && other !== email) continue;
      return { firstRow, because: meaning[kind] };
    }
    if (row < emails.length) emails[row] = email;
    for (let index = 0; index < count; index += 1) seen.keep(hashes[index] as Hash64, row);
    return undefined;
  };
}

function folded(text: string): string {
  return text.toLowerCase();
}
