import type { PersonField } from '../person-fields.ts';
import fields from './fields.json' with { type: 'json' };
import type { Profile, ValueKind } from './profile.ts';
import data from './words.json' with { type: 'json' };

type Fields = typeof fields;
/** What a column may mean. Several meanings lead to one field: which one is taken depends on the other columns. */
export type Meaning = { [Field in keyof Fields]: keyof Fields[Field] }[keyof Fields] & string;

/** One meaning in the table of its field (`fields.json`). */
interface MeaningEntry {
  /** Phrases in the vocabulary's words, in any order; a number after a phrase is its certainty, 1 if left out. */
  aliases: string;
  /** Words next to a phrase that do not change its meaning: "US Congressional District Code". */
  optional?: string;
  /** Values that confirm the meaning, and the factor of its certainty if they are missing. */
  expected?: ValueKind[];
  otherwise?: number;
  contradicted?: ValueKind[];
  neverYesOrNo?: boolean;
  /** Two columns of this meaning are easily confused; parts of an address are not. */
  confusable?: boolean;
  /** The meaning of values alone, where the header says nothing: the kind, its minimum share and the certainty. */
  byValues?: { kind: ValueKind; least: number; certainty: number; withoutHeader?: boolean }[];
}
export const meanings = new Map<Meaning, MeaningEntry & { field: PersonField }>();
for (const [field, ofField] of Object.entries(fields) as [PersonField, Record<Meaning, MeaningEntry>][]) {
  for (const [meaning, entry] of Object.entries(ofField)) meanings.set(meaning as Meaning, { ...entry, field });
}

/** Whose or which of several a column says to be; for addresses in the order in which they are preferred. */
export type Place = 'residence' | 'plain' | 'mailing' | 'billing' | 'work' | 'other';
export const places: ReadonlyMap<string, Place> = new Map(Object.entries(data.places) as [string, Place][]);

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(' '));
/** Lists of words that are treated alike. */
export const lists = Object.fromEntries(
  Object.entries(data.lists).map(([name, text]) => [name, wordSet(text)]),
) as Record<keyof typeof data.lists, ReadonlySet<string>>;

/** Written forms, and the word that the tables use for them. */
const vocabulary = new Map<string, string>();
for (const entry of data.vocabulary.flatMap((line) => line.split(';'))) {
  const [word = '', forms = ''] = entry.trim().split(':');
  for (const form of [word, ...forms.trim().split(' ')]) {
    if (form !== '' && !vocabulary.has(form)) vocabulary.set(form, word);
  }
}
export const writtenForms: readonly string[] = [...vocabulary.keys()];
/** The word that the tables use; undefined for a word that is not in the vocabulary. */
export const canonical = (word: string): string | undefined => vocabulary.get(word);
export const isKnown = (word: string): boolean => vocabulary.has(word);

interface Phrase {
  meaning: Meaning;
  certainty: number;
  words: ReadonlySet<string>;
}
const phrases = new Map<string, Phrase[]>();
const phraseKey = (words: Iterable<string>): string => [...new Set(words)].sort().join(' ');
for (const [meaning, { aliases }] of meanings) {
  for (const entry of aliases.split('; ')) {
    const [, text = '', certainty = '1'] = /^(.*?)(?: (0\.\d+))?$/.exec(entry) ?? [];
    const words = wordSet(text);
    const key = phraseKey(words);
    phrases.set(key, [...(phrases.get(key) ?? []), { meaning, certainty: Number(certainty), words }]);
  }
}
/** Phrases that have two words or are unambiguous ("first" or "home" may be part of anything), the longest first. */
const phrasesWithin = [...phrases.values()]
  .flat()
  .map((phrase) => ({ ...phrase, all: [...phrase.words] }))
  .filter(({ all: [first = '', ...others] }) => others.length > 0 || lists.unambiguous.has(first))
  .sort((a, b) => b.all.length - a.all.length);

const optionalWords = [...meanings].flatMap(([meaning, { optional }]) =>
  optional ? [[meaning, wordSet(optional)] as const] : [],
);

/** The meanings of exactly these words, the most certain first. */
export function meaningsOf(words: readonly string[]): readonly { meaning: Meaning; certainty: number }[] {
  const exact = phrases.get(phraseKey(words));
  if (exact) return exact;
  for (const [meaning, optional] of optionalWords) {
    const core = words.filter((word) => !optional.has(word));
    const found = core.length < words.length ? phrases.get(phraseKey(core)) : undefined;
    const same = found?.find((phrase) => phrase.meaning === meaning);
    if (same) return [{ meaning, certainty: same.certainty * 0.98 }];
  }
  return [];
}

/** The longest phrase among the words. */
export const phraseWithin = (words: readonly string[]): Phrase | undefined =>
  phrasesWithin.find(({ all }) => all.every((word) => words.includes(word)));

/** The person field that a meaning leads to. */
export const fieldOf = (meaning: Meaning): PersonField => entryOf(meaning).field;
export const isConfusable = (meaning: Meaning): boolean => entryOf(meaning).confusable === true;

function entryOf(meaning: Meaning) {
  const entry = meanings.get(meaning);
  if (!entry) throw new Error(`No entry for ${meaning}`);
  return entry;
}

/** How far the values confirm a meaning: above 1 they do, below they don't; 1 where they say nothing. */
export function agreementOf(meaning: Meaning, profile: Profile): number {
  const { contradicted = [], neverYesOrNo, expected, otherwise = 1 } = entryOf(meaning);
  if (profile.filled === 0) return 1;
  if (contradicted.some((kind) => profile.share(kind) > 0.6)) return 0.35;
  // "CD" with Y and N in it; the number 1 is a district.
  if (neverYesOrNo && profile.share('yes_no') - profile.share('number') > 0.6) return 0.35;
  // Delaware's counties are letters, N among them; no person would recognise a number.
  if (meaning === 'county' && profile.share('yes_no') > 0.9 && profile.distinct > 1) return 0.35;
  if (meaning === 'county' && profile.share('number') > 0.6) return 0.85;
  if (meaning === 'whip_status' && profile.share('number') > 0.8 && profile.share('support') < 0.5) return 0.3;
  if (meaning === 'street_name' && profile.share('street') > 0.5) return 0.5;
  if (meaning === 'full_name' && profile.share('several_words') < 0.3) return 0.7;
  if (!expected) return 1;
  const share = Math.max(...expected.map((kind) => profile.share(kind)));
  if (share < 0.3) return otherwise;
  return share > 0.6 ? 1.1 : 1;
}

/** Whether a column's values do not speak against a field. */
export const fits = (field: PersonField, profile: Profile): boolean =>
  agreementOf(field === 'address1' ? 'address_line' : field === 'address2' ? 'address_unit' : field, profile) >= 1;
