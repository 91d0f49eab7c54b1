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

/** The meanings that a column may have, the most certain first. @param hasHeader whether `reading` is of a header at all */
export function candidatesOf(reading: HeaderReading, profile: Profile, hasHeader: boolean): Candidate[] {
  const { place, words } = reading;
  const base = { place, ordinal: 1, reason: 'The values match' };
  const byValues = (meaning: Meaning, certainty: number): Candidate => ({ meaning, certainty, ...base });
  switch (reading.kind) {
    case 'field':
      return reading.meanings
        .filter(({ meaning }) => meaning !== 'address_unit' || !isNamedBuilding(words, profile))
        .flatMap(({ meaning, certainty }) =>
          withOrdinal({ meaning, certainty, place, ordinal: reading.ordinal, reason: 'The header matches' }, profile),
        )
        .filter((candidate) => !isTooVague(candidate, profile))
        .map((candidate) => {
          const agreement = agreementOf(candidate.meaning, profile);
          const reason = agreement > 1 ? 'The header and the values match' : candidate.reason;
          return { ...candidate, certainty: Math.min(1, candidate.certainty * agreement), reason };
        })
        .sort((a, b) => b.certainty - a.certainty);
    case 'unknown': {
      // "Person", "Volunteer": nothing is said of the list's person but who it is.
      const saysWho = words.length > 0 && words.every((word) => lists.subjects.has(word));
      if (saysWho && profile.share('phone') > 0.9) return [byValues('phone', 0.8), ...ofValues(true)];
      const whole = saysWho && profile.share('several_words') >= 0.6 ? [byValues('full_name', 0.85)] : [];
      return [...whole, ...ofValues(hasHeader && words.length > 0)];
    }
    case 'custom':
      return ofOtherWords(reading, profile).map(([meaning, certainty]) => byValues(meaning, certainty));
    case 'system':
      return [];
    default:
      return reading satisfies never;
  }

  /** Where the header says nothing. @param named whether there is a header, of words that are not known */
  function ofValues(named: boolean): Candidate[] {
    return (
      [...meanings]
        .flatMap(([meaning, entry]) => (entry.byValues ?? []).map((kind) => ({ meaning, ...kind })))
        .filter(({ kind, least, withoutHeader }) => profile.share(kind) >= least && !(named && withoutHeader))
        // "NH" in one cell of many may be "not home".
        .filter(({ kind }) => kind !== 'state' || !named || profile.filled >= profile.rows / 2)
        .map(({ meaning, certainty }) => byValues(meaning, named ? certainty - 0.15 : certainty))
        .sort((a, b) => b.certainty - a.certainty)
    );
  }
}

/**
 * "Home": streets only where the values are; the contract's alias for it is the phone at home. "Program Name": a name of something
 * unknown is a person's only where the values are.
 */
const isTooVague = ({ meaning, certainty }: Candidate, profile: Profile): boolean =>
  (meaning === 'address_line' && certainty < 0.6 && profile.filled === 0) ||
  (meaning === 'full_name' && certainty < 0.8 && profile.share('full_name') < 0.3);

/** "Bldg" with a school's name in it is a place of work; an address's building has a number or a letter. */
const isNamedBuilding = (words: readonly string[], profile: Profile): boolean =>
  words.join(' ') === 'building' && profile.share('words') > 0.8 && profile.share('letter') < 0.5;

/** What a number at the end makes of it: the second line of an address, the four digits behind a ZIP code. */
function withOrdinal(said: Candidate, profile: Profile): Candidate[] {
  const { meaning, ordinal, place } = said;
  const as = (to: Meaning, certainty = said.certainty): Candidate => ({ ...said, meaning: to, certainty, ordinal: 1 });
  // "Mail", "Mail address": e-mail where the values are.
  if ((meaning === 'email' || meaning === 'address_line') && place === 'mailing' && profile.share('email') > 0.6)
    return [{ ...as('email', 0.85), place: 'plain' }];
  if (meaning === 'address_line' && ordinal === 2)
    return [profile.share('city_state_zip') > 0.6 ? as('city_state_zip', 0.85) : as('address_unit')];
  // "Home address incl. apt": streets, whatever else is said.
  if (meaning === 'address_unit' && profile.share('street') - profile.share('po_box') > 0.6)
    return [said, as('address_line', 0.85)];
  // "Calle y número", "Street No. & Name"
  if (meaning === 'street_part' && profile.share('street') > 0.6) return [as('address_line', 0.9)];
  if (meaning === 'zip' && ordinal === 4) return profile.share('zip') > 0.6 ? [as('zip', 0.8)] : [];
  if (meaning === 'zip' && (ordinal === 5 || ordinal === 9)) return [as('zip')];
  if (meaning === 'congressional_district' || meaning === 'whip_status') return [as(meaning)];
  return ordinal === 1 || (meaning === 'phone' && ordinal <= 3) ? [said] : [];
}

/** Words for something else, of which the values make a field after all: "Title" with captains in it. */
function ofOtherWords({ words, place }: HeaderReading, profile: Profile): [Meaning, number][] {
  const only = words.join(' ');
  if (/^(?:title|role|office|position)$/.test(only) && profile.share('precinct_role') > 0.5)
    return [['precinct_role', 0.8]];
  // "RES_HOUSE" next to "RES_STREET"; "House" alone may be a district.
  if (place === 'residence' && /^(?:residence )?house$/.test(only) && profile.share('number') > 0.6)
    return [['street_part', 0.8]];
  if (only === 'status' && profile.share('precinct_status') > 0.6) return [['precinct_status', 0.6]];
  if (only === 'district' && profile.share('district') > 0.6) return [['congressional_district', 0.7]];
  // "Do you support …?" with answers on a scale; inferred values are no answers.
  const isScale = profile.share('support') > 0.7 && profile.share('yes_no') < 0.5;
  const isAsked = words.includes('support') && (!words.includes('inferred') || words.includes('how'));
  return isAsked && isScale ? [['whip_status', 0.7]] : [];
}
