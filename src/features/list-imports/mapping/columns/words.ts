import { canonical, writtenForms } from './vocabulary.ts';

/** A header taken apart. */
export interface Words {
  /** In the vocabulary's form, in their order; unknown ones and numbers as they are. */
  words: string[];
  /** How many were understood only after a typo was corrected. */
  corrected: number;
}

/** Longer headers are sentences; what comes after is not read. */
const maxHeaderLength = 200;

/**
 * Takes a header apart: byte order mark, accents, case, camelCase, punctuation, figures at a word's end (`addr1`), words
 * written together (`streettypecode`), typos (`Adress`, `Frist`).
 */
export function wordsOf(header: string): Words {
  const pieces = splitHeader(header);
  const words: string[] = [];
  let corrected = 0;
  for (const piece of pieces) {
    const known = canonical(piece);
    if (known !== undefined || /^\d+$/.test(piece)) {
      words.push(known ?? piece);
      continue;
    }
    const together = splitCompound(piece);
    if (together !== undefined) {
      words.push(...together);
      continue;
    }
    const meant = correctTypo(piece);
    if (meant !== undefined) corrected += 1;
    words.push(meant ?? piece);
  }
  return { words, corrected };
}

/** Lower-case words and numbers of a header, without punctuation and accents. */
export function splitHeader(header: string): string[] {
  return header
    .slice(0, maxHeaderLength)
    .replace(/\uFEFF/g, '')
    .replace(/^(?:str|txt|int|dbl|fld|tbl|col|bln)(?=[A-Z][a-z])/, '')
    .replace(/[n]?[º°]/gi, ' number ')
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/['’]/g, '')
    .replace(/\b(\p{L})\.(?=\p{L}\b)/gu, '$1')
    .replace(/#/g, ' number ')
    .replace(/(?<![a-z\d])e[._ ]?164(?!\d)/gi, ' ')
    .replace(/ \+ (?=\p{L})/gu, ' and ')
    .replace(/\+/g, ' plus ')
    .replace(/\b(addr?|adr)ln(?=\d|\b)/gi, '$1 line ')
    .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .replace(/(\p{L})(\d)/gu, '$1 $2')
    .replace(/(\d)(\p{L})/gu, (all, digit: string, letter: string, at: number, text: string) =>
      /^(?:1st|2nd|3rd|[4-9]th)/.test(text.slice(at)) ? all : `${digit} ${letter}`,
    )
    .replace(/\be[^\p{L}\p{N}]*(?=m(?:ail|ial)\b)/gu, 'e')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((piece) => piece !== '')
    .map((piece) => numerals.get(piece) ?? piece);
}

const numerals = new Map(
  Object.entries({
    one: '1',
    two: '2',
    three: '3',
    four: '4',
    second: '2',
    third: '3',
    '2nd': '2',
    '3rd': '3',
    dos: '2',
  }),
);

const pieces = new Set(writtenForms.filter((form) => form.length > 2));
const shortPieces = new Set(['st', 'rs', 'ph', 'no', 'id', 'nm', 'dt', 'us', 'mi', 'pc']);
/** Letters set before a word: residence, mailing; home, cell and work of phones; voter file. */
const prefixLetters = new Set(['r', 'm', 'h', 'c', 'w', 'v']);
/** Words that follow such a letter; "clean", "hand" and "hold" are other words. */
const prefixed = new Set(
  'address add street st house number unit apartment city town state zip county phone email name half pre post direction line'.split(
    ' ',
  ),
);

/** Takes words apart that are written together: the fewest pieces that cover it all. */
function splitCompound(text: string): string[] | undefined {
  if (text.length < 4 || text.length > 40) return undefined;
  const whole = text.length > 4 ? fewestPieces(text) : undefined;
  if (whole) return whole;
  const first = text[0] ?? '';
  const rest = text.slice(1);
  if (!prefixLetters.has(first)) return undefined;
  const known = pieces.has(rest) ? [canonical(rest) ?? rest] : fewestPieces(rest);
  return known && prefixed.has(known[0] ?? '') ? [first, ...known] : undefined;
}

function fewestPieces(text: string): string[] | undefined {
  const best: (string[] | undefined)[] = [[]];
  for (let end = 1; end <= text.length; end += 1) {
    for (let start = Math.max(0, end - 16); start < end; start += 1) {
      const before = best[start];
      const piece = text.slice(start, end);
      if (!before || !(pieces.has(piece) || shortPieces.has(piece) || /^\d+$/.test(piece))) continue;
      const shortest = best[end];
      if (!shortest || before.length + 1 < shortest.length) best[end] = [...before, piece];
    }
  }
  const found = best[text.length];
  // Small change alone proves nothing: "notes" is no "no tes".
  if (!found || !(found.some((piece) => piece.length > 3) || found.every((piece) => piece.length > 2)))
    return undefined;
  return found.map((piece) => canonical(piece) ?? piece);
}

/** Real words that are one letter away from the vocabulary's and mean something else. */
const notTypos = new Set(
  'private dress nave stage states rate race cite care cars line live list lest lost mast least cost store stare dates late call part park port past cast case base sale tale town down gown hose horse mouse souse shirt short stats tote rote role mole title tile size site sire turf surf phase age'.split(
    ' ',
  ),
);
const correctable = writtenForms.filter((form) => form.length > 3);

const vowels = /[aeiou]/;
/** Words by their consonants, "spprt" for "support"; undefined where several have the same. */
const byConsonants = new Map<string, string | undefined>();
for (const form of correctable) {
  const consonants = form.replaceAll(/[aeiou]/g, '');
  const meant = canonical(form);
  if (consonants.length < 4) continue;
  byConsonants.set(
    consonants,
    !byConsonants.has(consonants) || byConsonants.get(consonants) === meant ? meant : undefined,
  );
}

function correctTypo(text: string): string | undefined {
  if (text.length < 4 || notTypos.has(text)) return undefined;
  const meanings = new Set<string>();
  const bare = vowels.test(text) ? undefined : byConsonants.get(text);
  if (bare !== undefined) return bare;
  for (const form of correctable) {
    // Typos rarely affect the first letter, and a short word with one letter changed may be any other.
    const slip = form[0] === text[0] && form !== text ? typoBetween(text, form) : undefined;
    if (slip === 'swapped' || (slip === 'letter' && form.length + text.length > 8)) {
      meanings.add(canonical(form) ?? form);
    }
  }
  const [only, ...others] = meanings;
  return others.length === 0 ? only : undefined;
}

/** One letter more, less or another one; or two neighbours changed over. */
function typoBetween(a: string, b: string): 'letter' | 'swapped' | undefined {
  if (Math.abs(a.length - b.length) > 1) return undefined;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at += 1;
  const [restA, restB] = [a.slice(at), b.slice(at)];
  if (restA[0] === restB[1] && restA[1] === restB[0] && restA.slice(2) === restB.slice(2)) return 'swapped';
  const letter = restA.slice(1) === restB || restA === restB.slice(1) || restA.slice(1) === restB.slice(1);
  return letter ? 'letter' : undefined;
}
