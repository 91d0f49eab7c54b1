import { type Meaning, meanings, type PersonField } from '../person-fields.ts';

interface Phrase {
  meaning: Meaning;
  certainty: number;
  words: ReadonlySet<string>;
}

/** Words in their alphabet's order: phrases are compared by this. */
export const phraseKey = (words: Iterable<string>): string => [...new Set(words)].sort().join(' ');

const byKey = new Map<string, Phrase[]>();
for (const [meaning, { aliases }] of Object.entries(meanings) as [Meaning, { aliases: string }][]) {
  for (const entry of aliases.split('; ')) {
    const [, text = '', certainty = '1'] = /^(.*?)(?: (0\.\d+))?$/.exec(entry.trim()) ?? [];
    const words = new Set(text.split(' '));
    const key = phraseKey(words);
    byKey.set(key, [...(byKey.get(key) ?? []), { meaning, certainty: Number(certainty), words }]);
  }
}
const longestFirst = [...byKey.values()].flat().sort((a, b) => b.words.size - a.words.size);

/** Words next to a phrase that do not change its meaning: "US Congressional District Code". */
const optionalWords: [Meaning, ReadonlySet<string>][] = [
  [
    'congressional_district',
    new Set(
      'us district house representative code number name description abbreviated seat state jurisdiction'.split(' '),
    ),
  ],
  ['email', new Set(['address', 'account'])],
  ['phone', new Set(['full', 'contact', 'number'])],
  ['cell_phone', new Set(['number', 'phone', 'area', 'code'])],
  ['county', new Set(['name', 'description', 'address'])],
  ['city', new Set(['name', 'description', 'address', 'add', 'street'])],
  ['state', new Set(['name', 'abbreviated', 'address', 'add', 'street'])],
  ['zip', new Set(['address', 'add', 'street'])],
  ['address_unit', new Set(['address', 'add', 'street', 'line', 'number'])],
  ['unit_part', new Set(['address', 'add', 'street', 'code'])],
  ['street_part', new Set(['address', 'add', 'code'])],
  ['street_name', new Set(['address', 'add'])],
];

/** The meanings of exactly these words, the most certain first. */
export function meaningsOf(words: readonly string[]): readonly { meaning: Meaning; certainty: number }[] {
  const exact = byKey.get(phraseKey(words));
  if (exact) return exact;
  for (const [meaning, optional] of optionalWords) {
    const core = words.filter((word) => !optional.has(word));
    const found = core.length < words.length ? byKey.get(phraseKey(core)) : undefined;
    const same = found?.find((phrase) => phrase.meaning === meaning);
    if (same) return [{ meaning, certainty: same.certainty * 0.98 }];
  }
  return [];
}

/** The longest phrase among the words that has two words or is unambiguous. */
export function phraseWithin(words: ReadonlySet<string>): Phrase | undefined {
  return longestFirst.find(
    (phrase) =>
      (phrase.words.size > 1 || plainAlone.has([...phrase.words][0] ?? '')) &&
      [...phrase.words].every((word) => words.has(word)),
  );
}

/** Words that are unambiguous in any header; "first", "home" or "state" may be part of anything. */
const plainAlone = new Set(
  'email correo cell phone zip county precinct notes tags whip congress city fname lname apellido landline'.split(' '),
);

/** The person field that a meaning leads to. */
export const fieldOf = (meaning: Meaning): PersonField => meanings[meaning].field;
