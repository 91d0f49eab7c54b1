import { type Column, minCertainty } from './candidates.ts';
import type { Choice, Match } from './choice.ts';
import type { Meaning, Place } from './tables.ts';

/** The addresses a list may have; the first that has a street is the person's. */
const addresses: readonly (readonly Place[])[] = [['residence', 'plain'], ['mailing'], ['billing'], ['work']];
/** How sure it is that such an address is meant as the person's. */
const sureness = [1, 0.97, 0.8, 0.65];

/**
 * Chooses the person's address: residence before mailing before billing, the whole of it from one where that is possible. A full
 * line beats its parts; parts are joined.
 */
export function chooseAddress(choice: Choice, columns: readonly Column[]): void {
  const which = addressWithStreet(columns) ?? 0;
  const places = addresses[which] ?? [];
  const own = places.includes('plain') ? places : [...places, 'plain' as const, 'residence' as const];
  const factor = sureness[which] ?? 1;
  const street = chooseStreet(choice, columns, { places, own, factor });
  chooseTogether(choice, own);
  chooseSingly(choice, { places, own, factor, street });
  chooseCounty(choice);
}

interface Chosen {
  places: readonly Place[];
  own: readonly Place[];
  factor: number;
  /** Whose the street is. */
  street: Place | undefined;
}

function chooseSingly(choice: Choice, { places, own, factor, street }: Chosen): void {
  for (const field of ['city', 'state', 'zip'] as const) {
    if (choice.has(field)) continue;
    const all = choice.matches(field, own);
    // "Vermont" and "VT" side by side: the code is the field's.
    if (field === 'state') all.sort((a, b) => codes(b) - codes(a));
    const alone = street === undefined && !choice.best('state', own) && !choice.best('zip', own);
    const surely = all.filter((one) => !isRatherCounty(one));
    const free = surely.length > 0 || (alone && choice.matches('county').length < 2) ? surely : all;
    const [best] = fromHere(free, places, street);
    if (best)
      choice.choose(best, field, {
        certainty: best.candidate.certainty * (places.includes(best.candidate.place) ? factor : 0.9),
      });
  }
}

/** City, state and ZIP code in one column; what has a column of its own goes before. */
function chooseTogether(choice: Choice, own: readonly Place[]): void {
  const together = choice.best('city_state_zip', own);
  if (!together || choice.best('city', own)) return;
  const apart = choice.best('zip', own) !== undefined;
  if (apart && choice.best('state', own)) return;
  const transform = apart ? 'city_state' : 'city_state_zip';
  choice.choose(together, 'city', { transform, certainty: together.candidate.certainty * 0.88 });
}

/** "Cty" is a city in an address, else a county, as the contract's aliases have it. */
const isRatherCounty = ({ candidate, column }: Match): boolean =>
  candidate.meaning === 'city' &&
  column.candidates.some(({ meaning, certainty }) => meaning === 'county' && certainty > candidate.certainty);

const codes = ({ column }: Match): number => (column.profile.share('state_code') > 0.5 ? 1 : 0);

/**
 * Those of the address itself before those that name none; of these, the street's own before others: a plain "City" next to a
 * residence is a district.
 */
function fromHere(
  candidates: readonly Match[],
  places: readonly Place[],
  street: Place = places[0] ?? 'plain',
): Match[] {
  const rank = ({ candidate, column }: Match): number => {
    // What only looks like it comes after what says so.
    if (!places.includes(candidate.place) || column.reading.kind === 'unknown') return 3;
    return candidate.place === street ? 0 : 1;
  };
  const blank = ({ column }: Match): number => (column.profile.filled === 0 ? 2 : 0);
  return candidates.toSorted((a, b) => rank(a) + blank(a) - rank(b) - blank(b));
}

function addressWithStreet(columns: readonly Column[]): number | undefined {
  const hasStreet = (places: readonly Place[], filled: boolean, least: number): boolean =>
    columns.some(
      ({ candidates, profile }) =>
        (!filled || profile.filled > 0) &&
        candidates.some(
          ({ meaning, place, certainty }) =>
            (meaning === 'address_line' || meaning === 'street_name') && places.includes(place) && certainty >= least,
        ),
    );
  // A surer one of another place goes before a guess: "Delivery address" before "Cross streets".
  for (const [filled, least] of [
    [true, 0.6],
    [true, minCertainty],
    [false, minCertainty],
  ] as const) {
    const found = addresses.findIndex((places) => hasStreet(places, filled, least));
    if (found >= 0) return found;
  }
  const anywhere = addresses.findIndex((places, at) => at < 3 && has(columns, ['city', 'zip'], places));
  return anywhere < 0 ? undefined : anywhere;
}

const has = (columns: readonly Column[], meanings: readonly Meaning[], places: readonly Place[]): boolean =>
  columns.some(({ candidates }) =>
    candidates.some(({ meaning, place }) => meanings.includes(meaning) && places.includes(place)),
  );

/** @returns whose street it is; a city that says the same belongs to it */
function chooseStreet(
  choice: Choice,
  columns: readonly Column[],
  { places, own, factor }: Omit<Chosen, 'street'>,
): Place | undefined {
  const parts = choice.matches('street_part', places);
  const names = choice.matches('street_name', places);
  // "Street" next to a house number is its name, else the whole line.
  const partsInUse =
    parts.some(({ column }) => column.profile.filled > 0) || columns.every(({ profile }) => profile.filled === 0);
  const lines = choice.matches('address_line', places).filter(({ column, candidate }) => {
    const alsoName = names.find((name) => name.column === column);
    if (!alsoName || parts.length === 0 || !partsInUse) return true;
    return column.profile.share('street') >= 0.4 || candidate.certainty > 0.95;
  });
  const withPlace = (candidate: Match): number => (candidate.column.profile.share('whole_address') > 0.5 ? 1 : 0);
  const [line] = fromHere(lines, places).sort((a, b) => withPlace(a) - withPlace(b));
  const inParts = names.some(({ column }) => column !== line?.column && column.profile.filled > 0);
  if (line && (line.column.profile.filled > 0 || !inParts)) {
    const whole = withPlace(line) === 1 ? 0.85 : 1;
    choice.choose(line, 'address1', { certainty: line.candidate.certainty * factor * whole });
    chooseSecondLine(choice, { places, own, factor }, parts.length > 0);
    return line.candidate.place;
  }
  const [name] = fromHere(names, places);
  if (name) joinParts(choice, name, parts, factor);
  return name?.candidate.place;
}

/** Next to a whole line with its parts, the unit is a part too; without them it is the second line. */
function chooseSecondLine(choice: Choice, { places, own, factor }: Omit<Chosen, 'street'>, hasParts: boolean): void {
  const seconds = fromHere(choice.matches('address_unit', own), places);
  const line = seconds.find(({ column }) => isSecondLine(column));
  const unit = seconds.find(({ column }) => !isSecondLine(column) && column.profile.filled > 0);
  const second = line?.column.profile.filled === 0 ? (unit ?? line) : (line ?? (hasParts ? undefined : seconds[0]));
  if (!second) return;
  const sure = isSecondLine(second.column) ? 1 : 0.92;
  choice.choose(second, 'address2', { certainty: second.candidate.certainty * factor * sure });
}

const isSecondLine = ({ reading, candidates }: Column): boolean =>
  candidates.some(({ meaning }) => meaning === 'address_unit') &&
  reading.words.some((word) => /^(?:address|add|street|line|secondary|extra|2)$/.test(word)) &&
  !reading.words.some((word) => /^(?:number|type)$/.test(word));

/** House number, directions, name and type of a street make one line; unit's type and number the second. */
function joinParts(choice: Choice, name: Match, parts: readonly Match[], factor: number): void {
  // Some exports say "residence" of some parts only; two sets of parts are not mixed.
  const same = parts.filter(({ candidate }) => candidate.place === name.candidate.place);
  const numbered = same.some(({ column }) =>
    column.reading.words.some((word) => word === 'number' || word === 'house'),
  );
  const near = numbered ? same : parts;
  const joined = near.length > 0;
  for (const part of joined ? [name, ...near] : [name]) {
    // "Street" may be a whole line, but not next to a house number.
    const sure = part === name && numbered ? Math.max(part.candidate.certainty, 0.95) : part.candidate.certainty;
    choice.choose(part, 'address1', {
      certainty: sure * factor * (joined ? 0.95 : 0.85),
      ...(joined && { transform: 'join', reason: 'Part of the street address; joined in the order of the file' }),
    });
  }
  const places = numbered ? [name.candidate.place] : (['residence', 'plain'] as const);
  const units = [...choice.matches('address_unit', places), ...choice.matches('unit_part', places)];
  const ofUnit = units.filter(({ column }) => !isSecondLine(column));
  const chosen = ofUnit.length > 0 ? ofUnit : units.slice(0, 1);
  // A type alone ("Apt") is no second line.
  if (!chosen.some(({ candidate }) => candidate.meaning === 'address_unit')) return;
  const several = chosen.length > 1;
  for (const unit of chosen) {
    choice.choose(unit, 'address2', {
      certainty: unit.candidate.certainty * factor * 0.95,
      ...(several && { transform: 'join', reason: 'Part of the unit; joined in the order of the file' }),
    });
  }
}

/** "Locality" with "Fairfax County" in it, and codes where there is no name. */
function chooseCounty(choice: Choice): void {
  if (choice.fill('county', 'county', ['plain', 'residence'])) return;
  const locality = choice.matches('city').find(({ column }) => column.profile.share('county') > 0.3);
  if (locality) choice.choose(locality, 'county', { certainty: 0.75, reason: 'Its values are counties' });
  if (choice.fill('county', 'county', ['mailing'])) return;
  const code = choice.best('county_code', ['plain', 'residence']);
  // A number is no county that a person would recognise.
  if (code && code.column.profile.filled > 0 && code.column.profile.share('number') < 0.5) {
    choice.choose(code, 'county', { certainty: 0.6 });
  }
}
