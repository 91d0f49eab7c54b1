import { isPlaceholder, type Outcome, unclearOutcome } from '../checks/outcome.ts';
import { memoize } from './memoize.ts';
import { provinces, states } from './state-names.ts';
import { lineOfText } from './text.ts';

const stateCodes = codesByName(states);
const provinceCodes = codesByName(provinces);

/** A state by its code, name or older abbreviation (`Ill.`), as its code. Provinces of Canada pass, with a warning. */
export function state(text: string): Outcome {
  return (isCode(text) && stateCodes.has(text)) || text === '' ? text : byName(text);
}

/** The code of a state of the United States, or of a province of Canada; undefined for anything else. */
export function stateCode(text: string): string | undefined {
  const name = folded(text);
  return stateCodes.get(name) ?? provinceCodes.get(name);
}

/** Whether a code is one of the United States' (with territories). */
export function isAmerican(code: string): boolean {
  return stateCodes.has(code);
}

const byName = memoize(1_000, (written): Outcome => {
  const text = lineOfText(written);
  const name = folded(text);
  const code = stateCodes.get(name);
  if (code !== undefined) return code;
  const province = provinceCodes.get(name);
  if (province !== undefined) return { value: province, code: 'foreign_state', message: `${province} is in Canada` };
  // "IL - Illinois", "Illinois (IL)", "US-IL"
  const parts = text.split(/[-(),/]+/).map((part) => part.trim());
  const codes = new Set(parts.map((part) => stateCodes.get(folded(part))).filter((found) => found !== undefined));
  const [only] = codes;
  if (only !== undefined && codes.size === 1 && parts.length > 1) return only;
  if (text === '' || isPlaceholder(text)) return '';
  return unclearOutcome('invalid_state', text, 'This is not a state of the United States');
});

function isCode(text: string): boolean {
  return text.length === 2;
}

function folded(text: string): string {
  return text.length > 60
    ? ''
    : text
        .toUpperCase()
        .replace(/[.\s]+/g, ' ')
        .trim();
}

function codesByName(lines: string): Map<string, string> {
  const codes = new Map<string, string>();
  for (const line of lines.trim().split('\n')) {
    const code = line.slice(0, 2);
    codes.set(code, code);
    for (const name of line.slice(3).split('|')) codes.set(name.toUpperCase(), code);
  }
  return codes;
}
