import type { MappingTarget } from '../field-mapping.ts';
import { type Hash64, hashText } from './hash.ts';
import { SeenKeys } from './seen-keys.ts';

/** Of the memory beside the thread's heap; enough for a million rows with four keys each. Beyond, later rows are only looked up. */
const mostBytes = 36 * 1024 ** 2;

/** What two rows of one person have in common, and the fields they are made of. */
const kinds = ['email', 'phone', 'address', 'zip'] as const;
type Kind = (typeof kinds)[number];

const meaning: Record<Kind, string> = {
  email: 'the same e-mail address',
  phone: 'the same phone number and last name',
  address: 'the same name and address',
  zip: 'the same name and ZIP code',
};

export interface Duplicate {
  /** Data row of the first with the same key. */
  firstRow: number;
  because: string;
}

/**
 * Finds rows that seem to be a person of an earlier row: by e-mail address, by phone number and last name, or by name with the
 * street address (without one: the ZIP code). Two e-mail addresses tell two people of one name apart.
 * @param rowCount of the list; the memory is measured by it
 */
export function duplicateFinder(
  targets: readonly MappingTarget[],
  rowCount: number,
): (row: number, values: readonly string[]) => Duplicate | undefined {
  const at = (target: MappingTarget): number => targets.indexOf(target);
  const [first, last, emailAt, cell, home] = [
    at('first_name'),
    at('last_name'),
    at('email'),
    at('cell_phone'),
    at('home_phone'),
  ];
  const [address, zip] = [at('address1'), at('zip')];
  const keysOfRow = [emailAt, cell, home, Math.max(address, zip)].filter((index) => index >= 0).length;
  const seen = new SeenKeys(Math.min(rowCount * keysOfRow, SeenKeys.withinBytes(mostBytes)));
  // A short hash of each row's address: to tell two apart it need not be a long one.
  const emails = new Uint16Array(emailAt < 0 ? 0 : Math.min(rowCount, mostBytes / 8) + 1);
  const hash: Hash64 = { high: 0, low: 0 };

  return (row, values) => {
    let email = 0;
    let found: Duplicate | undefined;
    const look = (kind: Kind, text: string): void => {
      hashText(text, kinds.indexOf(kind), hash);
      if (kind === 'email') {
        email = hash.low & 0xffff || 1;
        if (row < emails.length) emails[row] = email;
      }
      const firstRow = seen.firstRow(hash, row);
      if (firstRow === 0 || firstRow === row || found !== undefined) return;
      const other = emails[firstRow] ?? 0;
      if (kind !== 'email' && email !== 0 && other !== 0 && other !== email) return;
      found = { firstRow, because: meaning[kind] };
    };

    const emailText = values[emailAt] ?? '';
    if (emailText !== '') look('email', emailText);
    const lastName = folded(values[last] ?? '');
    if (lastName === '') return found;
    const cellText = values[cell] ?? '';
    if (cellText !== '') look('phone', `${lastName}|${cellText}`);
    const homeText = values[home] ?? '';
    if (homeText !== '' && homeText !== cellText) look('phone', `${lastName}|${homeText}`);
    const name = `${lastName}|${folded(values[first] ?? '')}`;
    const addressText = folded(values[address] ?? '');
    const zipText = values[zip] ?? '';
    if (addressText !== '') look('address', `${name}|${addressText}|${zipText.slice(0, 5)}`);
    else if (zipText !== '') look('zip', `${name}|${zipText.slice(0, 5)}`);
    return found;
  };
}

function folded(text: string): string {
  return text.toLowerCase();
}
