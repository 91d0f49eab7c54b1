import type { Profile } from './profile.ts';
import type { HeaderReading } from './read-header.ts';
import { agreementOf, lists, type Meaning, meanings, type Place } from './tables.ts';

/** A meaning that a column may have, from its header and its values. */
export interface Candidate {
  meaning: Meaning;
  /** 0 to 1. */
  certainty: number;
  place: Place;
  /** 2 for the second of its kind ("Phone 2"); 1 otherwise. */
  ordinal: number;
  reason: string;
}

export interface Column {
  index: number;
  header: string;
  reading: HeaderReading;
  profile: Profile;
  candidates: Candidate[];
}

/** Candidates below this are not suggested. */
export const minCertainty = 0.4;

/** @param hasHeader whether `reading` is of a header at all */
export function candidatesOf(reading: HeaderReading, profile: Profile, hasHeader: boolean): Candidate[] {
  switch (reading.kind) {
    case 'field':
      return reading.meanings
        .map(({ meaning, certainty }) => ({ ...reading, meaning, certainty }))
        .filter((candidate) => !isNamedBuilding(candidate, profile))
        .flatMap((candidate) => byOrdinal(candidate, profile))
        .filter(({ meaning, certainty }) => !isAnyName(meaning, certainty, profile))
        .filter(({ meaning, certainty }) => !isAnyPlace(meaning, certainty, profile))
        .map(({ meaning, certainty, place, ordinal }) => {
          const agreement = agreementOf(meaning, profile);
          const reason = agreement > 1 ? 'The header and the values match' : 'The header matches';
          return { meaning, certainty: Math.min(1, certainty * agreement), place, ordinal, reason };
        })
        .sort((a, b) => b.certainty - a.certainty);
    case 'unknown':
      return [
        ...wholeName(reading, profile),
        ...byValues(profile, reading.place, hasHeader && reading.words.length > 0),
      ];
    case 'custom':
      return ofOtherWords(reading, profile);
    case 'system':
      return [];
    default:
      return reading satisfies never;
  }
}

/** "Home": streets only where the values are; the contract's alias for it is the phone at home. */
const isAnyPlace = (meaning: Meaning, certainty: number, profile: Profile): boolean =>
  meaning === 'address_line' && certainty < 0.6 && profile.filled === 0;

/** "Program Name": a name of something unknown is a person's only where the values are. */
const isAnyName = (meaning: Meaning, certainty: number, profile: Profile): boolean =>
  meaning === 'full_name' && certainty < 0.8 && profile.share('full_name') < 0.3;

/** "Bldg" with a school's name in it is a place of work; an address's building has a number or a letter. */
const isNamedBuilding = (
  { meaning, words }: { meaning: Meaning; words: readonly string[] },
  profile: Profile,
): boolean =>
  meaning === 'address_unit' &&
  words.join(' ') === 'building' &&
  profile.share('words') > 0.8 &&
  profile.share('letter') < 0.5;

interface ReadMeaning {
  meaning: Meaning;
  certainty: number;
  place: Place;
  ordinal: number;
}

/** What a number at the end makes of it: the second line of an address, the four digits behind a ZIP code. */
function byOrdinal(said: ReadMeaning, profile: Profile): ReadMeaning[] {
  const { meaning, ordinal, place } = said;
  switch (meaning) {
    case 'email':
      // "Mail": e-mail where the values are.
      if (isMail(place, profile)) return [{ ...said, certainty: 0.85, place: 'plain', ordinal: 1 }];
      return ordinal === 1 ? [said] : [];
    case 'address_line':
      // "Mail address"
      if (isMail(place, profile)) return [{ meaning: 'email', certainty: 0.85, place: 'plain', ordinal: 1 }];
      if (ordinal === 2 && profile.share('city_state_zip') > 0.6)
        return [{ ...said, meaning: 'city_state_zip', certainty: 0.85, ordinal: 1 }];
      if (ordinal === 2) return [{ ...said, meaning: 'address_unit', ordinal: 1 }];
      return ordinal > 2 ? [] : [said];
    case 'address_unit':
      // "Home address incl. apt": streets, whatever else is said.
      if (profile.share('street') - profile.share('po_box') > 0.6)
        return [said, { ...said, meaning: 'address_line', certainty: 0.85, ordinal: 1 }];
      return ordinal === 1 ? [said] : [];
    case 'street_part':
      // "Calle y número", "Street No. & Name"
      if (profile.share('street') > 0.6) return [{ ...said, meaning: 'address_line', certainty: 0.9, ordinal: 1 }];
      return ordinal === 1 ? [said] : [];
    case 'zip': {
      if (ordinal === 4) return profile.share('zip') > 0.6 ? [{ ...said, certainty: 0.8, ordinal: 1 }] : [];
      return ordinal === 5 || ordinal === 9 || ordinal === 1 ? [{ ...said, ordinal: 1 }] : [];
    }
    case 'congressional_district':
    case 'whip_status':
      return [{ ...said, ordinal: 1 }];
    case 'phone':
      return ordinal <= 3 ? [said] : [];
    default:
      return ordinal === 1 ? [said] : [];
  }
}

const isMail = (place: Place, profile: Profile): boolean => place === 'mailing' && profile.share('email') > 0.6;

/** "Person", "Volunteer": nothing is said of the list's person but who it is. */
function wholeName({ words, place }: HeaderReading, profile: Profile): Candidate[] {
  const saysWho = words.length > 0 && words.every((word) => lists.subjects.has(word));
  if (saysWho && profile.share('phone') > 0.9)
    return [{ meaning: 'phone', certainty: 0.8, place, ordinal: 1, reason: 'The values match' }];
  if (!saysWho || profile.share('several_words') < 0.6) return [];
  return [{ meaning: 'full_name', certainty: 0.85, place, ordinal: 1, reason: 'The values match' }];
}

/** Where the header says nothing. @param named whether there is a header, of words that are not known */
function byValues(profile: Profile, place: Place, named: boolean): Candidate[] {
  return (
    [...meanings]
      .flatMap(([meaning, { byValues = [] }]) => byValues.map((entry) => ({ meaning, ...entry })))
      .filter(({ kind, least, withoutHeader }) => profile.share(kind) >= least && !(named && withoutHeader))
      // "NH" in one cell of many may be "not home".
      .filter(({ kind }) => kind !== 'state' || !named || profile.filled >= profile.rows / 2)
      .map(({ meaning, certainty }) => ({
        meaning,
        certainty: named ? certainty - 0.15 : certainty,
        place,
        ordinal: 1,
        reason: 'The values match',
      }))
      .sort((a, b) => b.certainty - a.certainty)
  );
}

/** Words for something else, of which the values make a field after all: "Title" with captains in it. */
function ofOtherWords({ words, place }: HeaderReading, profile: Profile): Candidate[] {
  const candidate = (meaning: Meaning, certainty: number): Candidate => ({
    meaning,
    certainty,
    place,
    ordinal: 1,
    reason: 'The values match',
  });
  const only = words.join(' ');
  if (/^(?:title|role|office|position)$/.test(only) && profile.share('precinct_role') > 0.5)
    return [candidate('precinct_role', 0.8)];
  // "RES_HOUSE" next to "RES_STREET"; "House" alone may be a district.
  if (place === 'residence' && /^(?:residence )?house$/.test(only) && profile.share('number') > 0.6)
    return [candidate('street_part', 0.8)];
  if (only === 'status' && profile.share('precinct_status') > 0.6) return [candidate('precinct_status', 0.6)];
  // "Do you support …?" with answers on a scale; inferred values are no answers.
  const isScale = profile.share('support') > 0.7 && profile.share('yes_no') < 0.5;
  if (words.includes('support') && (!words.includes('inferred') || words.includes('how')) && isScale)
    return [candidate('whip_status', 0.7)];
  if (only === 'district' && profile.share('district') > 0.6) return [candidate('congressional_district', 0.7)];
  return [];
}
