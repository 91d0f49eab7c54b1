import { memoize } from './memoize.ts';
import { lineOfText } from './text.ts';

/** Written small between other words of a name: de la Cruz, Ortega y Gasset. */
const small = new Set([
  'de',
  'del',
  'la',
  'las',
  'los',
  'da',
  'das',
  'do',
  'dos',
  'di',
  'du',
  'von',
  'zu',
  'y',
  'e',
  'bin',
  'ibn',
]);
/** Small where one of these follows: van der Berg, but Van Buren. */
const afterVan = new Set(['de', 'der', 'den', 'het', "'t"]);
const dutchArticles = new Set(['der', 'den', 'ter', 'ten', 'het']);
/** Names that begin with Mac and go on with a capital; others (Mack, Macy, Machado) do not. */
const macs =
  /^mac(?=(?:alister|allister|arthur|aulay|auley|beth|bride|callum|carthy|cormack|coy|donald|donell|donnell|dougal+|duff|dowell|ewan|farlan[ed]?|gill|gregor|innes|intosh|intyre|kay|kenna|kenzie|kinley|kinnon|lachlan|laren|laughlin|lean|lellan|leod|mahon|manus|master|millan|murray|nab|namara|naughton|neil+|nichol|pherson|phail|quarrie|rae|sween|sweeney|taggart|tavish|vicar|willi?ams?)s?$)/;
const roman = /^(?:ii|iii|iv|vi|vii|viii|ix)$/;

/**
 * A name on one line; one that is written in capitals or small letters alone is given its usual case (McDonald, O’Brien, de la
 * Cruz). Mixed case is intentional and is left unchanged.
 */
export function nameCase(text: string): string {
  const plain = lineOfText(text);
  return isMixed(plain) ? plain : inUsualCase(plain);
}

function isMixed(text: string): boolean {
  return text !== text.toUpperCase() && text !== text.toLowerCase();
}

const inUsualCase = memoize(5_000, (text) => {
  const capitals = text === text.toUpperCase();
  const words = text.toLowerCase().split(' ');
  return words
    .map((word, index) => {
      const next = words[index + 1];
      if (isSmall(word, words[index - 1], next)) return word;
      // DJ, TJ: two consonants are initials.
      if (capitals && index === 0 && /^[bcdfghjklmnpqrstvwxz]{2}$/.test(word) && !isSurname(word))
        return word.toUpperCase();
      return word.split('-').map(capitalised).join('-');
    })
    .join(' ');
});

function isSmall(word: string, before: string | undefined, next: string | undefined): boolean {
  if (next === undefined) return false;
  if (word === 'van') return afterVan.has(next);
  if (dutchArticles.has(word)) return before === 'van' || before === 'von';
  return small.has(word) && (word !== 'e' || before !== undefined);
}

/** Ng is a family name; Jr, Sr, Dr and the like are no initials. */
function isSurname(word: string): boolean {
  return ['ng', 'jr', 'sr', 'dr', 'mr', 'ms', 'st'].includes(word);
}

function capitalised(word: string): string {
  if (roman.test(word)) return word.toUpperCase();
  if (/^mc\p{L}{2}/u.test(word)) return `Mc${first(word.slice(2))}`;
  if (macs.test(word)) return `Mac${first(word.slice(3))}`;
  // O'Brien, D'Angelo; but Shavon'te. J.R. and (Bill) too.
  return first(word)
    .replace(/^(.['’])(\p{L})/u, (_, start: string, letter: string) => start + letter.toUpperCase())
    .replace(/([.(",/&])(\p{L})/gu, (_, sign: string, letter: string) => sign + letter.toUpperCase());
}

function first(word: string): string {
  return word.replace(/\p{L}/u, (letter) => letter.toUpperCase());
}
