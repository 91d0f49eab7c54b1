import { isPlaceholder, type Outcome, unclearOutcome } from '../checks/outcome.ts';
import { memoize } from './memoize.ts';
import { isAmerican, stateCode } from './state.ts';
import { lineOfText } from './text.ts';

/** California's delegation, the largest since 1929's method of apportionment is kept to 435 seats (2020 census: 52). */
const maxDistrict = 60;
const words = /\b(?:u\.?s\.?|congressional|congress|cong|cd|district|dist|house|number|no|the)(?:\b\.?|(?=\d))|#/gi;
const atLarge = /^(?:at[ -]?large|al|0+|98)$/i;
const numbered = /^0*(\d{1,2})(?:st|nd|rd|th)?$/i;

/**
 * A congressional district as `XX-NN` (`IL-12`; the only one of a state is `AK-00`, as the Census counts). What names no state
 * (`12`, `CD 12`, `12th Congressional District`) takes the row's.
 * @param stateOfRow its code, '' where it is not known
 */
export function district(text: string, stateOfRow: string): Outcome {
  const found = understood(text);
  if (typeof found === 'string') return found;
  const { plain, number } = found;
  if (number === undefined) return unclearOutcome('invalid_district', plain, 'This is not a congressional district');
  const code = found.code ?? (isAmerican(stateOfRow) ? stateOfRow : undefined);
  if (code !== undefined) return `${code}-${number}`;
  return unclearOutcome('invalid_district', plain, 'The state of this district is unknown');
}

/** The content of a cell: a complete district, '' for none, or a number with or without a state. */
type Understood = string | { plain: string; code: string | undefined; number: string | undefined };

const understood = memoize(1_000, (text): Understood => {
  const plain = lineOfText(text);
  if (isWhole(plain)) return plain;
  if (plain === '' || (isPlaceholder(plain) && plain !== '0')) return '';
  const bare =
    plain.length > 60
      ? ''
      : plain
          .replace(words, ' ')
          .replace(/[^\p{L}\p{N}-]+/gu, ' ')
          .trim();
  const own = named(bare);
  return { plain, code: own?.code, number: numberOf(own ? own.rest : bare) };
});

function isWhole(text: string): boolean {
  return (
    text.length === 5 &&
    /^[A-Z]{2}-\d\d$/.test(text) &&
    isAmerican(text.slice(0, 2)) &&
    Number(text.slice(3)) <= maxDistrict
  );
}

/** The state that a district begins with: `IL-12`, `IL12`, `Illinois 12`, `AK-AL`. */
function named(text: string): { code: string; rest: string } | undefined {
  const match = /^(\p{L}+(?: \p{L}+)*?)[ -]*(\d{1,3}(?:st|nd|rd|th)?|at[ -]?large|al)$/iu.exec(text);
  const code = stateCode(match?.[1] ?? '');
  return code !== undefined && isAmerican(code) ? { code, rest: match?.[2] ?? '' } : undefined;
}

function numberOf(text: string): string | undefined {
  const plain = text.replace(/^-|-$/g, '').trim();
  if (atLarge.test(plain)) return '00';
  const number = Number(numbered.exec(plain)?.[1] ?? Number.NaN);
  return number <= maxDistrict ? String(number).padStart(2, '0') : undefined;
}
