import type { Candidate, Choice } from '../choice.ts';
import { type Column, leastCertainty } from '../columns/column.ts';
import type { Place } from '../columns/header-words.ts';
import type { Meaning } from '../person-fields.ts';

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
    const all = choice.candidates(field, own);
    // "Vermont" and "VT" side by side: the code is the field's.
    if (field === 'state') all.sort((a, b) => codes(b) - codes(a));
    const alone = street === undefined && !choice.best('state', own) && !choice.best('zip', own);
    const surely = all.filter((one) => !isRatherCounty(one));
    const free = surely.length > 0 || (alone && choice.candidates('county').length < 2) ? surely : all;
    const [best] = fromHere(free, places, street);
    if (best)
      choice.take(best, field, {
        certainty: best.claim.certainty * (places.includes(best.claim.place) ? factor : 0.9),
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
  choice.take(together, 'city', { transform, certainty: together.claim.certainty * 0.88 });
}

/** "Cty" is a city in an address, else a county, as the contract's aliases have it. */
const isRatherCounty = ({ claim, column }: Candidate): boolean =>
  claim.meaning === 'city' &&
  column.claims.some(({ meaning, certainty }) => meaning === 'county' && certainty > claim.certainty);

const codes = ({ column }: Candidate): number => (column.profile.share('state_code') > 0.5 ? 1 : 0);

/**
 * Those of the address itself before those that name none; of these, the street's own before others: a plain "City" beside a
 * residence is a district.
 */
function fromHere(
  candidates: readonly Candidate[],
  places: readonly Place[],
  street: Place = places[0] ?? 'plain',
): Candidate[] {
  const rank = ({ claim, column }: Candidate): number => {
    // What only looks like it comes after what says so.
    if (!places.includes(claim.place) || column.reading.kind === 'unknown') return 3;
    return claim.place === street ? 0 : 1;
  };
  const blank = ({ column }: Candidate): number => (column.profile.filled === 0 ? 2 : 0);
  return candidates.toSorted((a, b) => rank(a) + blank(a) - rank(b) - blank(b));
}

function addressWithStreet(columns: readonly Column[]): number | undefined {
  const hasStreet = (places: readonly Place[], filled: boolean, least: number): boolean =>
    columns.some(
      ({ claims, profile }) =>
        (!filled || profile.filled > 0) &&
        claims.some(
          ({ meaning, place, certainty }) =>
            (meaning === 'address_line' || meaning === 'street_name') && places.includes(place) && certainty >= least,
        ),
    );
  // A surer one of another place goes before a guess: "Delivery address" before "Cross streets".
  for (const [filled, least] of [
    [true, 0.6],
    [true, leastCertainty],
    [false, leastCertainty],
  ] as const) {
    const found = addresses.findIndex((places) => hasStreet(places, filled, least));
    if (found >= 0) return found;
  }
  const anywhere = addresses.findIndex((places, at) => at < 3 && has(columns, ['city', 'zip'], places));
  return anywhere < 0 ? undefined : anywhere;
}

const has = (columns: readonly Column[], meanings: readonly Meaning[], places: readonly Place[]): boolean =>
  columns.some(({ claims }) =>
    claims.some(({ meaning, place }) => meanings.includes(meaning) && places.includes(place)),
  );

/** @returns whose street it is; a city that says the same belongs to it */
function chooseStreet(
  choice: Choice,
  columns: readonly Column[],
  { places, own, factor }: Omit<Chosen, 'street'>,
): Place | undefined {
  const parts = choice.candidates('street_part', places);
  const names = choice.candidates('street_name', places);
  // "Street" beside a house number is its name, else the whole line.
  const partsInUse =
    parts.some(({ column }) => column.profile.filled > 0) || columns.every(({ profile }) => profile.filled === 0);
  const lines = choice.candidates('address_line', places).filter(({ column, claim }) => {
    const alsoName = names.find((name) => name.column === column);
    if (!alsoName || parts.length === 0 || !partsInUse) return true;
    return column.profile.share('street') >= 0.4 || claim.certainty > 0.95;
  });
  const withPlace = (candidate: Candidate): number => (candidate.column.profile.share('whole_address') > 0.5 ? 1 : 0);
  const [line] = fromHere(lines, places).sort((a, b) => withPlace(a) - withPlace(b));
  const inParts = names.some(({ column }) => column !== line?.column && column.profile.filled > 0);
  if (line && (line.column.profile.filled > 0 || !inParts)) {
    const whole = withPlace(line) === 1 ? 0.85 : 1;
    choice.take(line, 'address1', { certainty: line.claim.certainty * factor * whole });
    chooseSecondLine(choice, { places, own, factor }, parts.length > 0);
    return line.claim.place;
  }
  const [name] = fromHere(names, places);
  if (name) joinParts(choice, name, parts, factor);
  return name?.claim.place;
}

/** Beside a whole line with its parts, the unit is a part too; without them it is the second line. */
function chooseSecondLine(choice: Choice, { places, own, factor }: Omit<Chosen, 'street'>, hasParts: boolean): void {
  const seconds = fromHere(choice.candidates('address_unit', own), places);
  const line = seconds.find(({ column }) => isSecondLine(column));
  const unit = seconds.find(({ column }) => !isSecondLine(column) && column.profile.filled > 0);
  const second = line?.column.profile.filled === 0 ? (unit ?? line) : (line ?? (hasParts ? undefined : seconds[0]));
  if (!second) return;
  const sure = isSecondLine(second.column) ? 1 : 0.92;
  choice.take(second, 'address2', { certainty: second.claim.certainty * factor * sure });
}

const isSecondLine = ({ reading, claims }: Column): boolean =>
  claims.some(({ meaning }) => meaning === 'address_unit') &&
  reading.words.some((word) => /^(?:address|add|street|line|secondary|extra|2)$/.test(word)) &&
  !reading.words.some((word) => /^(?:number|type)$/.test(word));

/** House number, directions, name and type of a street make one line; unit's type and number the second. */
function joinParts(choice: Choice, name: Candidate, parts: readonly Candidate[], factor: number): void {
  // Some exports say "residence" of some parts only; two sets of parts are not mixed.
  const same = parts.filter(({ claim }) => claim.place === name.claim.place);
  const numbered = same.some(({ column }) =>
    column.reading.words.some((word) => word === 'number' || word === 'house'),
  );
  const near = numbered ? same : parts;
  const joined = near.length > 0;
  for (const part of joined ? [name, ...near] : [name]) {
    // "Street" may be a whole line, but not beside a house number.
    const sure = part === name && numbered ? Math.max(part.claim.certainty, 0.95) : part.claim.certainty;
    choice.take(part, 'address1', {
      certainty: sure * factor * (joined ? 0.95 : 0.85),
      ...(joined && { transform: 'join', reason: 'Part of the street address; joined in the order of the file' }),
    });
  }
  const places = numbered ? [name.claim.place] : (['residence', 'plain'] as const);
  const units = [...choice.candidates('address_unit', places), ...choice.candidates('unit_part', places)];
  const ofUnit = units.filter(({ column }) => !isSecondLine(column));
  const chosen = ofUnit.length > 0 ? ofUnit : units.slice(0, 1);
  // A type alone ("Apt") is no second line.
  if (!chosen.some(({ claim }) => claim.meaning === 'address_unit')) return;
  const several = chosen.length > 1;
  for (const unit of chosen) {
    choice.take(unit, 'address2', {
      certainty: unit.claim.certainty * factor * 0.95,
      ...(several && { transform: 'join', reason: 'Part of the unit; joined in the order of the file' }),
    });
  }
}

/** "Locality" with "Fairfax County" in it, and codes where there is no name. */
function chooseCounty(choice: Choice): void {
  if (choice.fill('county', 'county', ['plain', 'residence'])) return;
  const locality = choice.candidates('city').find(({ column }) => column.profile.share('county') > 0.3);
  if (locality) choice.take(locality, 'county', { certainty: 0.75, reason: 'Its values are counties' });
  if (choice.fill('county', 'county', ['mailing'])) return;
  const code = choice.best('county_code', ['plain', 'residence']);
  // A number is no county that a person would recognise.
  if (code && code.column.profile.filled > 0 && code.column.profile.share('number') < 0.5) {
    choice.take(code, 'county', { certainty: 0.6 });
  }
}
