import { canonical, isKnown, lists, writtenForms } from './tables.ts';

/**
 * Takes a header apart: accents, case, camelCase, punctuation, figures at a word's end (`addr1`), words written together
 * (`streettypecode`), typos (`Adress`, `Frist`).
 * @returns words in the vocabulary's form, unknown ones and numbers as they are; and how many typos were corrected
 */
export function wordsOf(header: string): { words: string[]; corrected: number } {
  let corrected = 0;
  const words = splitHeader(header).flatMap((piece) => {
    const known = /^\d+$/.test(piece) ? piece : canonical(piece);
    if (known !== undefined) return [known];
    const together = splitCompound(piece);
    if (together) return together;
    const meant = correctTypo(piece);
    if (meant !== undefined) corrected += 1;
    return [meant ?? piece];
  });
  return { words, corrected };
}

const numerals = [[], ['one'], ['two', 'second', '2nd', 'dos'], ['three', 'third', '3rd'], ['four']];

/** Lower-case words and numbers of a header, without punctuation and accents. The end of a long sentence is not read. */
const splitHeader = (header: string): string[] =>
  header
    .slice(0, 200)
    .replace(/\uFEFF/g, '')
    .replace(/^(?:str|txt|int|dbl|fld|tbl|col|bln)(?=[A-Z][a-z])/, '')
    .replace(/[n]?[º°]|#/gi, ' number ')
    .normalize('NFKD')
    .replace(/[\p{M}'’]/gu, '')
    .replace(/\b(\p{L})\.(?=\p{L}\b)/gu, '$1')
    .replace(/(?<![a-z\d])e[._ ]?164(?!\d)/gi, ' ')
    .replace(/ \+ (?=\p{L})/gu, ' and ')
    .replace(/\+/g, ' plus ')
    .replace(/\b(addr?|adr)ln(?=\d|\b)/gi, '$1 line ')
    .replace(/(\p{Ll})(?=\p{Lu})|(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$& ')
    .toLowerCase()
    .replace(/(\p{L})(?=\d)/gu, '$1 ')
    .replace(/(?!1st|2nd|3rd|[4-9]th)(\d)(?=\p{L})/gu, '$1 ')
    .replace(/\be[^\p{L}\p{N}]*(?=m(?:ail|ial)\b)/gu, 'e')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((piece) => piece !== '')
    .map((piece) => {
      const numeral = numerals.findIndex((forms) => forms.includes(piece));
      return numeral > 0 ? String(numeral) : piece;
    });

const pieces = new Set([...writtenForms.filter((form) => form.length > 2), ...lists.shortPieces]);

/** Takes words apart that are written together: the fewest pieces that cover it all. */
function splitCompound(text: string): string[] | undefined {
  if (text.length < 4 || text.length > 40) return undefined;
  const whole = text.length > 4 ? fewestPieces(text) : undefined;
  if (whole) return whole;
  // A letter before a word: residence, mailing; home, cell and work of phones; voter file. "Clean" and "hand" are other words.
  const rest = text.slice(1);
  if (!/^[rmhcwv]/.test(text)) return undefined;
  const known = rest.length > 2 && isKnown(rest) ? [canonical(rest) ?? rest] : fewestPieces(rest);
  return known && lists.prefixed.has(known[0] ?? '') ? [text.slice(0, 1), ...known] : undefined;
}

function fewestPieces(text: string): string[] | undefined {
  const best: (string[] | undefined)[] = [[]];
  for (let end = 1; end <= text.length; end += 1) {
    for (let start = Math.max(0, end - 16); start < end; start += 1) {
      const before = best[start];
      const piece = text.slice(start, end);
      if (!before || !(pieces.has(piece) || /^\d+$/.test(piece))) continue;
      if (before.length + 1 < (best[end]?.length ?? Number.POSITIVE_INFINITY)) best[end] = [...before, piece];
    }
  }
  const found = best[text.length];
  // Small change alone proves nothing: "notes" is no "no tes".
  const proven = found?.some((piece) => piece.length > 3) || found?.every((piece) => piece.length > 2);
  return proven ? found?.map((piece) => canonical(piece) ?? piece) : undefined;
}

const correctable = writtenForms.filter((form) => form.length > 3);
/** Words by their consonants, "spprt" for "support"; several where they have the same. */
const byConsonants = Map.groupBy(correctable, (form) => form.replaceAll(/[aeiou]/g, ''));

/** The only word that a text can be a typo of. Some real words are a letter away from another one ("stage", "state"). */
function correctTypo(text: string): string | undefined {
  if (text.length < 4 || lists.notTypos.has(text)) return undefined;
  const bare = /[aeiou]/.test(text) ? [] : (byConsonants.get(text) ?? []);
  const [vowelless, ...more] = new Set(bare.map(canonical));
  if (vowelless !== undefined && more.length === 0) return vowelless;
  // Typos rarely affect the first letter.
  const near = correctable.filter((form) => form[0] === text[0] && form !== text && isTypo(text, form));
  const [only, ...others] = new Set(near.map(canonical));
  return others.length === 0 ? only : undefined;
}

/** Two letters changed over; or, in words that are not short, one letter more, less or another one. */
function isTypo(a: string, b: string): boolean {
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  if (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)) return true;
  if (a.length + b.length <= 8) return false;
  return restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1);
}

const streetWord = /^(?:name|type|number|direction|half|pre|post|prefix|suffix|address|line|addr|designator)$/;
const addressWord =
  /^(?:address|add|city|state|zip|street|st|house|apartment|unit|half|direction|name|pre|post|line|county|cty)$/;
const phoneLetters: Record<string, string> = { h: 'home', c: 'cell', m: 'cell', w: 'work' };

/** Words whose meaning depends on the adjacent words: st, cd, ln, single letters next to an address or a phone. */
export function specialCases(words: readonly string[]): string[] {
  let out = [...words];
  // "City (RA)" as "RA_CITY"
  if (/^(?:ra|ma)$/.test(out.at(-1) ?? '') && out.length > 1) out = [out.at(-1) ?? '', ...out.slice(0, -1)];
  if (out.includes('head') && out.includes('household'))
    out = ['member', ...out.filter((word) => word !== 'head' && word !== 'household')];
  // "5-digit ZIP"
  if (out[0] === '5' && out[1] === 'digit') out = out.slice(2);
  const [letter = '', second = ''] = out;
  // "ad_city", while "AD" alone is a district of an assembly.
  if (letter === 'ad' && (second === 'number' || addressWord.test(second))) out[0] = 'address';
  const [first = ''] = out;
  const rest = out.slice(1);
  if (first === 'to' && out.length < 5) out[0] = 'recipient';
  // "Owner Name" of a property roll; "Contact Owner" is the user who works with the contact.
  if (first === 'owner' && rest.length > 0 && second !== 'id') out[0] = 'buyer';
  if (/^(?:ra|ma)$/.test(first) && rest.length > 0) out[0] = first === 'ra' ? 'residence' : 'mailing';
  // "addr_street" next to "addr_num" is the street's name, unlike "Street Address".
  if (first === 'address' && second === 'street') out = rest;
  if (/^[rv]$/.test(first) && addressWord.test(second)) out[0] = 'residence';
  if (first === 'm' && addressWord.test(second)) out[0] = second === 'name' ? 'middle' : 'mailing';
  if (first === 'h' && /^(?:address|city|state|zip|number)$/.test(second)) out[0] = 'home';
  // "H Phone", "Ph (c)"
  const last = out.at(-1) ?? '';
  if (second === 'phone') out[0] = phoneLetters[out[0] ?? ''] ?? out[0] ?? '';
  else if (out.at(-2) === 'phone') out[out.length - 1] = phoneLetters[last] ?? last;
  if (/^[fl]$/.test(first) && second === 'name') out[0] = first === 'f' ? 'first' : 'last';
  if (/^[^ehcx\d]$/.test(out[0] ?? '') && out[0] === first && out.length > 1) out = rest;
  return out.map((word, index) => {
    const [before, after] = [out[index - 1], out[index + 1]];
    if (word === 'st') return after !== undefined && streetWord.test(after) ? 'street' : 'state';
    // "party_cd", but "vf_cd" and "CD"
    if (word === 'cd' && before !== undefined && isKnown(before) && !/^(?:us|voter|residence|district)$/.test(before))
      return 'code';
    // "Text #" is where texts are sent.
    if (/^(?:text|desc)$/.test(word) && out.length === 2 && /^(?:number|phone)$/.test(after ?? '')) return 'cell';
    // "ADDR_LN1" is a line, "LN" alone the last name.
    return word === 'lname' && /^(?:address|add|street)$/.test(before ?? '') ? 'line' : word;
  });
}
