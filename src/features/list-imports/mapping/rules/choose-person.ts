import type { Column } from './candidates.ts';
import type { Choice, Match } from './choice.ts';
import type { Place } from './tables.ts';

const ownPlaces: readonly Place[] = ['plain', 'residence', 'mailing', 'billing'];

/** Chooses the columns of the name; one name for all is offered as a split. */
export function chooseName(choice: Choice): void {
  const full = choice.best('full_name', ownPlaces);
  const parts = [...choice.matches('first_name', ownPlaces), ...choice.matches('last_name', ownPlaces)];
  // Columns for the name's parts that hold nothing, as forms have them, give way to a whole name that does.
  const areBlank = parts.length > 0 && parts.every(({ column }) => column.profile.filled === 0);
  if (areBlank && full && full.column.profile.filled > 0) {
    chooseFullName(choice, full);
    return;
  }
  const last = choice.best('last_name', ownPlaces);
  const first = bestFirstName(choice, last ? undefined : full);
  // "Nombre" holds the whole name where there are no "Apellidos".
  const whole = !last && first && holdsFullNames(first.column) ? first : undefined;
  if (last) choice.choose(last, 'last_name');
  if (first && !whole) choice.choose(first, 'first_name');
  else if (!last) chooseFullName(choice, full ?? whole);
}

function chooseFullName(choice: Choice, full: Match | undefined): void {
  if (!full) return;
  const sure = full.column.profile.share('full_name') > 0.5 ? 0.93 : 0.88;
  choice.choose(full, 'first_name', {
    certainty: full.candidate.certainty * sure,
    transform: 'full_name',
    reason: 'A full name; split into first and last name',
  });
}

/** A column that only looks like given names ("Point person") does not take a whole name's place. */
function bestFirstName(choice: Choice, whole: Match | undefined): Match | undefined {
  const first = choice.best('first_name', ownPlaces);
  const isGuess = first?.column.reading.kind === 'unknown';
  return isGuess && whole && whole.candidate.certainty > first.candidate.certainty ? undefined : first;
}

const holdsFullNames = ({ profile }: Column): boolean =>
  profile.share('full_name') > 0.5 || profile.share('several_words') > 0.8;

/** Chooses phones and the e-mail address: mobile for cell; a plain phone is cell, next to a mobile one home. */
export function chooseContacts(choice: Choice): void {
  choice.fill('cell_phone', 'cell_phone', ownPlaces);
  const atHome = choice.matches('phone', ['residence']).filter(({ candidate }) => candidate.ordinal === 1);
  // "Home" alone may be a phone; "Home Phone" is one, and rather one that has values.
  const certaintyWithValues = ({ candidate, column }: Match): number =>
    candidate.certainty - (column.profile.filled === 0 ? 0.2 : 0);
  const [home] = [...choice.matches('home_phone', ownPlaces), ...atHome].sort(
    (a, b) => certaintyWithValues(b) - certaintyWithValues(a),
  );
  if (home) choice.choose(home, 'home_phone');
  const plain = choice
    .matches('phone', ['plain', 'mailing', 'billing'])
    .filter(({ candidate }) => candidate.ordinal <= 2);
  for (const phone of plain) {
    const { certainty, ordinal } = phone.candidate;
    const hasHome = choice.has('home_phone');
    const choose = (field: 'cell_phone' | 'home_phone', factor: number, reason: string) =>
      choice.choose(phone, field, { certainty: certainty * factor, reason });
    if (ordinal === 2 && plain.length === 1 && !hasHome)
      choose('home_phone', 0.8, 'The second phone number of the list');
    else if (!choice.has('cell_phone')) choose('cell_phone', 0.94, 'A plain phone number');
    else if (!hasHome && phone.column.profile.filled > 0)
      choose('home_phone', ordinal === 2 ? 0.8 : 0.85, 'The phone number next to the cell phone');
  }
  const email = choice.best('email');
  const sure = email?.candidate.place === 'work' ? 0.85 : 1;
  if (email) choice.choose(email, 'email', { certainty: email.candidate.certainty * sure });
}

/** Chooses precinct and districts; a name is the precinct, a code or number its number. */
export function chooseDistricts(choice: Choice): void {
  const reachable: readonly Place[] = ['plain', 'residence', 'mailing'];
  choice.fill('congressional_district', 'congressional_district', reachable);
  const named = choice.fill('precinct', 'precinct_name', reachable);
  const numbered = choice.fill('precinct_number', 'precinct_number', reachable);
  const plain = choice.best('precinct', reachable);
  if (plain && !(named && numbered)) {
    const factor = named || numbered ? 0.93 : 0.95;
    choice.choose(plain, named ? 'precinct_number' : 'precinct', { certainty: plain.candidate.certainty * factor });
  }
  const district = choice.best('voting_district', reachable);
  if (district && !choice.has('precinct') && !choice.has('precinct_number'))
    choice.choose(district, 'precinct_number', { certainty: district.candidate.certainty * 0.75 });
  choice.fill('precinct_status');
  const role = choice.best('precinct_role');
  if (role) {
    const sure = role.column.profile.filled > 0 ? 1 : 0.8;
    choice.choose(role, 'precinct_role', { certainty: role.candidate.certainty * sure });
  }
}

/** Chooses what is left: notes, support, tags. */
export function chooseRest(choice: Choice): void {
  for (const field of ['notes', 'whip_status', 'tags'] as const) choice.fill(field);
}
