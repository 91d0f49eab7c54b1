import type { Column } from './candidates.ts';
import type { Choice, Match } from './choice.ts';
import type { Place } from './tables.ts';

const ownPlaces: readonly Place[] = ['plain', 'residence', 'mailing', 'billing'];

/** Chooses the columns of the name; one name for all is offered as a split. */
export function chooseName(choice: Choice): void {
  if (tookFilledFullName(choice)) return;
  const last = choice.best('last_name', ownPlaces);
  const first = bestFirstName(choice, last !== undefined);
  // "Nombre" holds the whole name where there are no "Apellidos".
  const whole = !last && first && holdsFullNames(first.column) ? first : undefined;
  if (last) choice.choose(last, 'last_name');
  if (first && !whole) choice.choose(first, 'first_name');
  if (last || (first && !whole)) return;
  const full = choice.best('full_name', ownPlaces) ?? whole;
  if (full) chooseFullName(choice, full);
}

function chooseFullName(choice: Choice, full: Match): void {
  const sure = full.column.profile.share('full_name') > 0.5 ? 0.93 : 0.88;
  choice.choose(full, 'first_name', {
    certainty: full.candidate.certainty * sure,
    transform: 'full_name',
    reason: 'A full name; split into first and last name',
  });
}

/** Columns for the name's parts that hold nothing, as forms have them, give way to a whole name that does. */
function tookFilledFullName(choice: Choice): boolean {
  const parts = [...choice.matches('first_name', ownPlaces), ...choice.matches('last_name', ownPlaces)];
  const full = choice.best('full_name', ownPlaces);
  const isOnly = parts.length > 0 && parts.every(({ column }) => column.profile.filled === 0);
  if (!isOnly || !full || full.column.profile.filled === 0) return false;
  chooseFullName(choice, full);
  return true;
}

/** A column that only looks like given names ("Point person") does not take a whole name's place. */
function bestFirstName(choice: Choice, hasLast: boolean): Match | undefined {
  const first = choice.best('first_name', ownPlaces);
  const whole = hasLast ? undefined : choice.best('full_name', ownPlaces);
  const isGuess = first?.column.reading.kind === 'unknown';
  return isGuess && whole && whole.candidate.certainty > first.candidate.certainty ? undefined : first;
}

const holdsFullNames = ({ profile }: Column): boolean =>
  profile.share('full_name') > 0.5 || profile.share('several_words') > 0.8;

/** Chooses phones and the e-mail address: mobile for cell; a plain phone is cell, next to a mobile one home. */
export function chooseContacts(choice: Choice): void {
  const reachable: readonly Place[] = ['plain', 'residence', 'mailing', 'billing'];
  choice.fill('cell_phone', 'cell_phone', reachable);
  const atHome = choice.matches('phone', ['residence']).filter(({ candidate }) => candidate.ordinal === 1);
  const [home] = [...choice.matches('home_phone', reachable), ...atHome].sort(
    (a, b) => certaintyWithValues(b) - certaintyWithValues(a),
  );
  if (home) choice.choose(home, 'home_phone');
  const plain = choice
    .matches('phone', ['plain', 'mailing', 'billing'])
    .filter(({ candidate }) => candidate.ordinal <= 2);
  for (const phone of plain) {
    const { certainty, ordinal } = phone.candidate;
    if (ordinal === 2 && plain.length === 1 && !choice.has('home_phone'))
      choice.choose(phone, 'home_phone', { certainty: certainty * 0.8, reason: 'The second phone number of the list' });
    else if (!choice.has('cell_phone'))
      choice.choose(phone, 'cell_phone', { certainty: certainty * 0.94, reason: 'A plain phone number' });
    else if (!choice.has('home_phone') && phone.column.profile.filled > 0) {
      const reason = 'The phone number next to the cell phone';
      choice.choose(phone, 'home_phone', { certainty: certainty * (ordinal === 2 ? 0.8 : 0.85), reason });
    }
  }
  chooseEmail(choice);
}

/** "Home" alone may be a phone; "Home Phone" is one, and rather one that has values. */
const certaintyWithValues = ({ candidate, column }: Match): number =>
  candidate.certainty - (column.profile.filled === 0 ? 0.2 : 0);

function chooseEmail(choice: Choice): void {
  const [best] = choice.matches('email');
  if (best)
    choice.choose(best, 'email', {
      certainty: best.candidate.certainty * (best.candidate.place === 'work' ? 0.85 : 1),
    });
}

/** Chooses precinct and districts; a name is the precinct, a code or number its number. */
export function chooseDistricts(choice: Choice, columns: readonly Column[]): void {
  const reachable: readonly Place[] = ['plain', 'residence', 'mailing'];
  choice.fill('congressional_district', 'congressional_district', reachable);
  const named = choice.fill('precinct', 'precinct_name', reachable);
  const numbered = choice.fill('precinct_number', 'precinct_number', reachable);
  const plain = choice.best('precinct', reachable);
  if (plain && !named)
    choice.choose(plain, 'precinct', { certainty: plain.candidate.certainty * (numbered ? 0.93 : 0.95) });
  else if (plain && !numbered) choice.choose(plain, 'precinct_number', { certainty: plain.candidate.certainty * 0.93 });
  if (!choice.has('precinct') && !choice.has('precinct_number')) {
    const [district] = choice.matches('voting_district', reachable);
    if (district) choice.choose(district, 'precinct_number', { certainty: district.candidate.certainty * 0.75 });
  }
  const aboutPrecincts = columns.some(({ candidates }) =>
    candidates.some(({ meaning }) => /^(?:precinct|voting)/.test(meaning)),
  );
  choice.fill('precinct_status');
  const role = choice.best('precinct_role');
  if (role && (aboutPrecincts || role.column.profile.share('precinct_role') > 0.5)) {
    choice.choose(role, 'precinct_role', {
      certainty: role.candidate.certainty * (role.column.profile.filled > 0 ? 1 : 0.8),
    });
  }
}

/** Chooses what is left: notes, support, tags. */
export function chooseRest(choice: Choice): void {
  choice.fill('notes');
  choice.fill('whip_status');
  choice.fill('tags');
}
