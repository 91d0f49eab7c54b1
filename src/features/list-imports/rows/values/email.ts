import { isPlaceholder, type Outcome, unclearOutcome } from '../checks/outcome.ts';
import { lineOfText } from './text.ts';

const maxLength = 254;

/**
 * One address; quoted local parts and addresses of hosts are none for a mailing. Each part is bounded by the next sign, so
 * it is tested in linear time.
 */
const address = /^[a-z0-9_+-](?:\.?[a-z0-9_'+-])*@(?:[a-z0-9](?:-*[a-z0-9])*\.)+[a-z]{2,24}$/;
/** "ann lee@example.org": an address split by a blank; the part after it may be another person's address. */
const torn = /^(?!(?:e-?mail|home|work|personal|primary|main|other) )[a-z0-9._+-]+ [a-z0-9._+-]+@\S+$/;
const wrapping = /^(?:mailto:|e-?mail:)\s*|^["'<([{]+|(?<![>)\]}"',.;:])[>)\]}"',.;:]+$/g;

/** An e-mail address in lower case; of several in one cell the first, `"Ann Lee" <ann@example.org>` included. */
export function email(text: string): Outcome {
  const plain = lineOfText(text).toLowerCase();
  if (isAddress(plain)) return plain;
  if (plain === '' || isPlaceholder(plain)) return '';
  const candidates = plain.length > 1000 || torn.test(plain) ? [] : plain.split(/[\s,;|/<>]+/).map(unwrapped);
  const [first, ...others] = new Set(candidates.filter(isAddress));
  if (first === undefined) return unclearOutcome('invalid_email', lineOfText(text), 'This is not an e-mail address');
  if (others.length === 0) return first;
  const message = `More than one e-mail address: ${first} is used`;
  return { value: first, code: 'several_emails', message, unclear: others.join(', ') };
}

function unwrapped(text: string): string {
  return text.replace(wrapping, '').replace(wrapping, '');
}

function isAddress(text: string): boolean {
  return text.length <= maxLength && address.test(text) && !text.includes("'@");
}
