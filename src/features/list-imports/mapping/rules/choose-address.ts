import { type Column, minCertainty } from './candidates.ts';
import type { Choice, Match } from './choice.ts';
import type { Meaning, Place } from './tables.ts';

/** The addresses a list may have, and how sure it is that such an address is meant as the person's; the first with a street is. */
const addresses: readonly { places: readonly Place[]; factor: number }[] = [
  { places: ['residence', 'plain'], factor: 1 },
  { places: ['mailing'], factor: 0.97 },
  { places: ['billing'], factor: 0.8 },
  { places: ['work'], factor: 0.65 },
];

interface Address {
  places: readonly Place[];
  /** Those, and columns that name no address. */
  own: readonly Place[];
  factor: number;
}

/**
 * Chooses the person's address: residence before mailing before billing, the whole of it from one where that is possible. A full
 * line beats its parts; parts are joined.
 */
export function chooseAddress(choice: Choice, columns: readonly Column[]): void {
  const { places, factor } = addressWithStreet(columns) ?? { places: ['residence', 'plain'], factor: 1 };
  const address = { places, factor, own: [...places, 'plain', 'residence'] as const };
  const street = chooseStreet(choice, columns, address);
  chooseTogether(choice, address.own);
  chooseSingly(choice, address, street);
  chooseCounty(choice);
}

/** @param street whose the street is */
function chooseSingly(choice: Choice, { places, own, factor }: Address, street: Place | undefined): void {
  for (const field of ['city', 'state', 'zip'] as const) {
    if (choice.has(field)) continue;
    const all = choice.matches(field, own);
    // "Vermont" and "VT" side by side: the code is the field's.
    if (field === 'state') all.sort((a, b) => isCode(b) - isCode(a));
    const alone = street === undefined && !choice.best('state', own) && !choice.best('zip', own);
    const surely = all.filter((one) => !isRatherCounty(one));
    const free = surely.length > 0 || (alone && choice.matches('county').length < 2) ? surely : all;
    const [best] = fromHere(free, places, street);
    const sure = best && places.includes(best.candidate.place) ? factor : 0.9;
    if (best) choice.choose(best, field, { certainty: best.candidate.certainty * sure });
  }
}

/** City, state and ZIP code in one column; what has a column of its own goes before. */
function chooseTogether(choice: Choice, own: readonly Place[]): void {
  const together = choice.best('city_state_zip', own);
  const apart = choice.best('zip', own) !== undefined;
  if (!together || choice.best('city', own) || (apart && choice.best('state', own))) return;
  const transform = apart ? 'city_state' : 'city_state_zip';
  choice.choose(together, 'city', { transform, certainty: together.candidate.certainty * 0.88 });
}

/** "Cty" is a city in an address, else a county, as the contract's aliases have it. */
const isRatherCounty = ({ candidate, column }: Match): boolean =>
  candidate.meaning === 'city' &&
  column.candidates.some(({ meaning, certainty }) => meaning === 'county' && certainty > candidate.certainty);

const isCode = ({ column }: Match): number => Number(column.profile.share('state_code') > 0.5);

/**
 * Sorts the street's own place first, then other columns of this address, then columns that name no address: a plain "City" next
 * to a residence is a district. Columns that only look like one by their values come last.
 */
function fromHere(candidates: readonly Match[], places: readonly Place[], street = places[0]): Match[] {
  const rank = ({ candidate, column }: Match): number => {
    const says = places.includes(candidate.place) && column.reading.kind !== 'unknown';
    return (says ? Number(candidate.place !== street) : 3) + (column.profile.filled === 0 ? 2 : 0);
  };
  return candidates.toSorted((a, b) => rank(a) - rank(b));
}

function addressWithStreet(columns: readonly Column[]) {
  const has = (places: readonly Place[], wanted: readonly Meaning[], least = 0, filled = false): boolean =>
    columns.some(
      ({ candidates, profile }) =>
        (!filled || profile.filled > 0) &&
        candidates.some(
          ({ meaning, place, certainty }) => wanted.includes(meaning) && places.includes(place) && certainty >= least,
        ),
    );
  const street = ['address_line', 'street_name'] as const;
  return (
    // A surer one of another place goes before a guess: "Delivery address" before "Cross streets".
    addresses.find(({ places }) => has(places, street, 0.6, true)) ??
    addresses.find(({ places }) => has(places, street, minCertainty, true)) ??
    addresses.find(({ places }) => has(places, street, minCertainty)) ??
    addresses.find(({ places }) => !places.includes('work') && has(places, ['city', 'zip']))
  );
}

/** @returns whose street it is; a city that says the same belongs to it */
function chooseStreet(choice: Choice, columns: readonly Column[], address: Address): Place | undefined {
  const { places, factor } = address;
  const parts = choice.matches('street_part', places);
  const names = choice.matches('street_name', places);
  // "Street" next to a house number is its name, else the whole line.
  const partsInUse =
    parts.some(({ column }) => column.profile.filled > 0) ||
    (parts.length > 0 && columns.every(({ profile }) => profile.filled === 0));
  const lines = choice
    .matches('address_line', places)
    .filter(
      ({ column, candidate }) =>
        !partsInUse ||
        !names.some((name) => name.column === column) ||
        column.profile.share('street') >= 0.4 ||
        candidate.certainty > 0.95,
    );
  const isWhole = ({ column }: Match): boolean => column.profile.share('whole_address') > 0.5;
  const [line] = fromHere(lines, places).sort((a, b) => Number(isWhole(a)) - Number(isWhole(b)));
  const inParts = names.some(({ column }) => column !== line?.column && column.profile.filled > 0);
  if (line && (line.column.profile.filled > 0 || !inParts)) {
    choice.choose(line, 'address1', { certainty: line.candidate.certainty * factor * (isWhole(line) ? 0.85 : 1) });
    chooseSecondLine(choice, address, parts.length > 0);
    return line.candidate.place;
  }
  const [name] = fromHere(names, places);
  if (name) joinParts(choice, name, parts, factor);
  return name?.candidate.place;
}

/** Next to a whole line with its parts, the unit is a part too; without them it is the second line. */
function chooseSecondLine(choice: Choice, { places, own, factor }: Address, hasParts: boolean): void {
  const seconds = fromHere(choice.matches('address_unit', own), places);
  const line = seconds.find(isSecondLine);
  const unit = seconds.find((one) => !isSecondLine(one) && one.column.profile.filled > 0);
  const second = line?.column.profile.filled === 0 ? (unit ?? line) : (line ?? (hasParts ? undefined : seconds[0]));
  if (!second) return;
  const sure = isSecondLine(second) ? 1 : 0.92;
  choice.choose(second, 'address2', { certainty: second.candidate.certainty * factor * sure });
}

const isSecondLine = ({ column: { reading, candidates } }: Match): boolean =>
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
  for (const part of [name, ...near]) {
    // "Street" may be a whole line, but not next to a house number.
    const sure = part === name && numbered ? Math.max(part.candidate.certainty, 0.95) : part.candidate.certainty;
    choice.choose(part, 'address1', {
      certainty: sure * factor * (joined ? 0.95 : 0.85),
      ...(joined && { transform: 'join', reason: 'Part of the street address; joined in the order of the file' }),
    });
  }
  const places = numbered ? [name.candidate.place] : (['residence', 'plain'] as const);
  const units = [...choice.matches('address_unit', places), ...choice.matches('unit_part', places)];
  const ofUnit = units.filter((unit) => !isSecondLine(unit));
  const chosen = ofUnit.length > 0 ? ofUnit : units.slice(0, 1);
  // A type alone ("Apt") is no second line.
  if (!chosen.some(({ candidate }) => candidate.meaning === 'address_unit')) return;
  for (const unit of chosen) {
    choice.choose(unit, 'address2', {
      certainty: unit.candidate.certainty * factor * 0.95,
      ...(chosen.length > 1 && { transform: 'join', reason: 'Part of the unit; joined in the order of the file' }),
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
  if (code && code.column.profile.filled > 0 && code.column.profile.share('number') < 0.5)
    choice.choose(code, 'county', { certainty: 0.6 });
}
