import { stateCode } from './state.ts';
import { lineOfText } from './text.ts';

export interface Place {
  city: string;
  /** As written; `state` and `zip` are parsed from it. */
  state: string;
  zip: string;
  /** Whether a part of the value fits no field. */
  unsure: boolean;
}

const country = /(?<![\s,])[\s,]+(?:u\.?s\.?a\.?|united states(?: of america)?|canada)$/i;
const zipAtEnd = /(?:^|[\s,])(\d{5}(?:-?\d{4})?|\d{3,4}|[a-z]\d[a-z] ?\d[a-z]\d)$/i;
const maxStateWords = 4;

/** Splits "Springfield, IL 62701", with or without commas, ZIP code, country. A missing part is ''. */
export function splitPlace(text: string): Place {
  let rest = lineOfText(text).slice(0, 300).replace(country, '');
  const code = zipAtEnd.exec(rest)?.[1] ?? '';
  if (code !== '') rest = rest.slice(0, rest.length - code.length);
  rest = tidy(rest.replace(country, ''));
  const stateName = stateAtEnd(rest);
  const city = tidy(rest.slice(0, rest.length - stateName.length));
  return { city, state: stateName, zip: code, unsure: /\d/.test(city) || city.includes(',') };
}

/** The longest words at the end that name a state, unless they are all there is and follow no comma: New York is a city, too. */
function stateAtEnd(text: string): string {
  const comma = text.lastIndexOf(',');
  if (comma >= 0) {
    const after = text.slice(comma + 1).trim();
    return stateCode(after) ? after : wordsAtEnd(after);
  }
  return wordsAtEnd(text);
}

function wordsAtEnd(text: string): string {
  const words = text.split(' ');
  for (let count = Math.min(maxStateWords, words.length - 1); count > 0; count -= 1) {
    const name = words.slice(-count).join(' ');
    if (stateCode(name)) return name;
  }
  return words.length === 1 && text.length === 2 && stateCode(text) ? text : '';
}

function tidy(text: string): string {
  return text
    .replace(/^[\s,]+/, '')
    .trimEnd()
    .replace(/,$/, '')
    .trimEnd();
}
