import { canonical } from './vocabulary.ts';

const streetWords = /^(?:name|type|number|direction|half|pre|post|prefix|suffix|address|line|addr|designator)$/;

/** Words whose meaning depends on the adjacent words: st, cd, ln, single letters next to an address or a phone. */
export function specialCases(words: readonly string[]): string[] {
  let out = withAddressFirst(words);
  if (out.includes('head') && out.includes('household'))
    out = ['member', ...out.filter((word) => word !== 'head' && word !== 'household')];
  // "5-digit ZIP"
  if (out[0] === '5' && out[1] === 'digit') out = out.slice(2);
  const addressWord =
    /^(?:address|add|city|state|zip|street|st|house|apartment|unit|half|direction|name|pre|post|line|county|cty)$/;
  // "ad_city", while "AD" alone is a district of an assembly.
  if (out[0] === 'ad' && (out[1] === 'number' || addressWord.test(out[1] ?? ''))) out[0] = 'address';
  const [first = '', second = ''] = out;
  if (first === 'to' && out.length < 5) out = ['recipient', ...out.slice(1)];
  // "Owner Name" of a property roll; "Contact Owner" is the user who works with the contact.
  if (first === 'owner' && out.length > 1 && second !== 'id') out = ['buyer', ...out.slice(1)];
  if (/^(?:ra|ma)$/.test(first) && out.length > 1) out = [first === 'ra' ? 'residence' : 'mailing', ...out.slice(1)];
  // "addr_street" next to "addr_num" is the street's name, unlike "Street Address".
  if (first === 'address' && second === 'street') out = out.slice(1);
  if (first === 'r' && addressWord.test(second)) out = ['residence', ...out.slice(1)];
  if (first === 'v' && addressWord.test(second)) out = ['residence', ...out.slice(1)];
  if (first === 'm' && addressWord.test(second) && second !== 'name') out = ['mailing', ...out.slice(1)];
  if (first === 'm' && second === 'name') out = ['middle', ...out.slice(1)];
  if (first === 'h' && /^(?:phone|address|city|state|zip|number)$/.test(second)) out = ['home', ...out.slice(1)];
  out = withPhoneLetter(out);
  if ((first === 'f' || first === 'l') && second === 'name') out = [first === 'f' ? 'first' : 'last', ...out.slice(1)];
  if (first.length === 1 && out[0] === first && out.length > 1 && !/^[ehcx\d]$/.test(first)) out = out.slice(1);
  return out.map((word, index) => {
    const before = out[index - 1];
    const after = out[index + 1];
    if (word === 'st') return after !== undefined && streetWords.test(after) ? 'street' : 'state';
    // "party_cd", but "vf_cd" and "CD"
    if (
      word === 'cd' &&
      before !== undefined &&
      canonical(before) !== undefined &&
      !/^(?:us|voter|residence|district)$/.test(before)
    ) {
      return 'code';
    }
    // "Text #" is where texts are sent.
    if (/^(?:text|desc)$/.test(word) && out.length === 2 && /^(?:number|phone)$/.test(after ?? '')) return 'cell';
    // "ADDR_LN1" is a line, "LN" alone the last name.
    if (word === 'lname' && before !== undefined && /^(?:address|add|street)$/.test(before)) return 'line';
    return word;
  });
}

/** "City (RA)" as "RA_CITY". */
const withAddressFirst = (words: readonly string[]): string[] =>
  words.length > 1 && /^(?:ra|ma)$/.test(words.at(-1) ?? '') ? [words.at(-1) ?? '', ...words.slice(0, -1)] : [...words];

const phoneLetters: Record<string, string> = { h: 'home', c: 'cell', m: 'cell', w: 'work' };

/** "H Phone", "Ph (c)": a letter next to the phone says which. */
function withPhoneLetter(words: string[]): string[] {
  const [first = '', second = ''] = words;
  const last = words.at(-1) ?? '';
  if (second === 'phone' && phoneLetters[first]) return [phoneLetters[first], ...words.slice(1)];
  if (words.at(-2) === 'phone' && phoneLetters[last]) return [...words.slice(0, -1), phoneLetters[last]];
  return words;
}
