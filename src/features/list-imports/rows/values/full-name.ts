import { lineOfText } from './text.ts';

export interface FullName {
  first: string;
  last: string;
  prefix: string;
  middle: string;
  suffix: string;
  /** A second person of another family name. */
  second: string;
  /** The warnings, if any. */
  doubt: 'two_people' | 'unsure_split' | undefined;
}

const titles = new Set(
  (
    'mr mrs ms miss mx dr drs rev reverend hon honorable sen senator rep representative congressman congresswoman gov governor ' +
    'prof professor sgt lt ltc col cpt capt cmdr gen maj sr sra srta fr rabbi imam pastor sheriff judge justice mayor'
  ).split(' '),
);
const suffixes = new Set(
  'jr sr ii iii iv v vi md phd dds dmd dvm esq esquire cpa rn jd do edd mba ret usn usmc'.split(' '),
);
/** Belong to the family name that follows them. */
const particles = new Set(
  (
    'de del della la las los da das dos di du van von der den ter ten te le st st. saint san santa bin ibn abu al el ben mac ' +
    "'t dello dela delos vander vanden o"
  ).split(' '),
);
const organisation =
  /\b(?:inc|llc|llp|ltd|corp|co|company|committee|foundation|trust|estate|family|families|church|club|union|local|association|assn|friends|party|pac|occupant|resident|household)\b/i;
const connector = /(?<!\s)\s*(?:&|\+|\band\b)\s*/i;
const quoted = /["“(][^"”)]{1,40}["”)]/g;

/**
 * Takes a whole name apart: "Last, First Middle", "First Middle Last Jr.", "Dr. First Last", "John & Mary Smith". A missing part
 * is ''. The case of letters is left as it is.
 */
export function fullName(text: string): FullName {
  const plain = lineOfText(text).slice(0, 300);
  const name = plain.replace(quoted, ' ').replace(/\s+/g, ' ').trim();
  const [left = '', right, ...more] = name.split(connector).filter(Boolean);
  const parsed = right === undefined ? one(left) : two(left, [right, ...more].join(' & '));
  return organisation.test(name) ? { ...parsed, doubt: 'unsure_split' } : parsed;
}

function one(text: string): FullName {
  const pieces = text
    .split(',')
    .map((piece) => piece.trim())
    .filter(Boolean);
  const ends: string[] = [];
  while (pieces.length > 1 && pieces.at(-1)?.split(' ').every(isSuffix)) ends.unshift(pieces.pop() ?? '');
  const [before = '', given, ...rest] = pieces;
  if (given === undefined) return inOrder(before, ends);
  const family = before.split(' ');
  const familySuffix = takeSuffixes(family, 1);
  const words = given.split(' ');
  const prefix = takeTitles(words, 1);
  const suffix = takeSuffixes(words, 1);
  const { first, middle } = givenNames(words);
  return {
    first,
    last: family.join(' '),
    prefix: prefix.join(' '),
    middle: [middle, ...rest].filter(Boolean).join(' '),
    suffix: [...familySuffix, ...suffix, ...ends].join(' '),
    second: '',
    doubt: rest.length > 0 || words.length > 3 ? 'unsure_split' : undefined,
  };
}

/** First Middle Last. */
function inOrder(text: string, ends: readonly string[]): FullName {
  const words = text.split(' ').filter(Boolean);
  const prefix = takeTitles(words, 1);
  const suffix = [...takeSuffixes(words, 2), ...ends].join(' ');
  let start = words.length - 1;
  while (start > 1 && particles.has(words[start - 1]?.toLowerCase() ?? '')) start -= 1;
  if (start > 2 && /^[ye]$/i.test(words[start - 1] ?? '')) start -= 2;
  // "de la Cruz" alone is a family name.
  const last = words.length > 1 ? words.splice(Math.max(start, 1)).join(' ') : '';
  const { first, middle } = givenNames(words);
  const doubt = middle.split(' ').length > 2 ? 'unsure_split' : undefined;
  return { first, last, prefix: prefix.join(' '), middle, suffix, second: '', doubt };
}

/** Both first names stay together where they share a family name: that is how a household is addressed. */
function two(left: string, right: string): FullName {
  const doubt = 'two_people';
  if (left.includes(',')) {
    // "Smith, John & Mary"; "Smith, John & Jones, Mary"
    const first = one(left);
    if (right.includes(',')) return { ...first, second: shown(one(right)), doubt };
    const words = right.split(' ');
    if (words.length > 1 && words.some((word) => word.length > 2) && words.length > 2)
      return { ...first, second: right, doubt };
    return { ...first, first: `${first.first} & ${right}`, doubt };
  }
  const leftWords = left.split(' ');
  const titlesOfLeft = takeTitles(leftWords, 0);
  const other = one(right);
  if (leftWords.length === 0) {
    // "Mr. & Mrs. John Smith"
    return { ...other, prefix: [titlesOfLeft.join(' '), other.prefix].filter(Boolean).join(' & '), doubt };
  }
  if (other.last === '') {
    // "John Smith & Mary"
    const first = one(left);
    return { ...first, first: [first.first, other.first].filter(Boolean).join(' & '), doubt };
  }
  if (leftWords.length === 1 || (leftWords.length === 2 && /^\p{L}\.?$/u.test(leftWords[1] ?? ''))) {
    const prefix = [titlesOfLeft.join(' '), other.prefix].filter(Boolean).join(' & ');
    return { ...other, prefix, first: `${leftWords.join(' ')} & ${other.first}`, doubt };
  }
  return { ...one(left), second: shown(other), doubt };
}

function shown({ first, middle, last, suffix }: FullName): string {
  return [first, middle, last, suffix].filter(Boolean).join(' ');
}

/** An initial is no name to address anybody by: "J. Robert". */
function givenNames(words: readonly string[]): { first: string; middle: string } {
  const initial = words.length > 1 && /^\p{L}\.?$/u.test(words[0] ?? '') && (words[1]?.length ?? 0) > 2;
  const count = initial ? 2 : 1;
  return { first: words.slice(0, count).join(' '), middle: words.slice(count).join(' ') };
}

/** Takes titles from the beginning; at least `keep` words are left. */
function takeTitles(words: string[], keep: number): string[] {
  const taken: string[] = [];
  while (words.length > keep && (titles.has(bare(words[0])) || (taken.length === 0 && /^the$/i.test(words[0] ?? '')))) {
    taken.push(words.shift() ?? '');
  }
  return taken;
}

/** Takes suffixes from the end; at least `keep` words are left. */
function takeSuffixes(words: string[], keep: number): string[] {
  const taken: string[] = [];
  while (words.length > keep && isSuffix(words.at(-1) ?? '')) taken.unshift(words.pop() ?? '');
  return taken;
}

function isSuffix(word: string): boolean {
  return suffixes.has(bare(word));
}

function bare(word = ''): string {
  return word.toLowerCase().replace(/[.,]/g, '');
}
