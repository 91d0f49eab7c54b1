import type { MappingTarget } from '../mapping/field-mapping.ts';
import type { Transform } from '../mapping/transforms.ts';
import type { CheckedRow } from './checks/checked-row.ts';
import type { ColumnGroup } from './checks/column-groups.ts';
import type { Outcome } from './checks/outcome.ts';
import { nameParts, otherPhone } from './files/part-columns.ts';
import { date } from './values/date.ts';
import { district } from './values/district.ts';
import { email } from './values/email.ts';
import { fullName } from './values/full-name.ts';
import { nameCase } from './values/name-case.ts';
import { phoneIn } from './values/phone.ts';
import { splitPlace } from './values/place.ts';
import { state } from './values/state.ts';
import { lineOfText, plainText, tags } from './values/text.ts';
import { zip } from './values/zip.ts';

/** A processing step of a row. */
type Step = (cells: readonly string[], row: CheckedRow) => void;

interface StepContext {
  group: ColumnGroup;
  indexOf(target: MappingTarget): number;
  /** Country, ISO 3166. States, ZIP codes and districts are checked for the US alone. */
  region: string;
}

const isUs = ({ region }: StepContext): boolean => region === 'US';

/** The step of each transform. */
const steps: Record<Transform, (context: StepContext) => Step> = {
  none: (context) => plainStep(context, context.group.target === 'tags' ? tags : plainText),
  name_case: (context) => plainStep(context, nameCase),
  full_name: ({ group, indexOf }) => nameSplit(group, indexOf),
  state: (context) => plainStep(context, isUs(context) ? state : lineOfText),
  city_state_zip: (context) => placeSplit(context.group, context.indexOf, isUs(context)),
  city_state: (context) => placeSplit(context.group, context.indexOf, isUs(context)),
  zip: (context) => stepWithState(context, zip),
  district: (context) => stepWithState(context, district),
  phone: ({ group, indexOf, region }) => phonesStep([group], indexOf, region),
  email: (context) => plainStep(context, email),
  date: (context) => plainStep(context, date),
  // Joined columns are one group, which has the usual transform of their field.
  join: (context) => steps.none(context),
};

/** The processing of a group of columns, for each row. */
export const stepOf = (context: StepContext): Step => steps[context.group.transform](context);

function plainStep({ group, indexOf }: StepContext, normalise: (text: string) => Outcome): Step {
  const { target, column, textOf } = group;
  const index = indexOf(target);
  return (cells, row) => {
    const text = textOf(cells);
    if (text !== '') row.put(index, column, text, normalise(text));
  };
}

/** A step that needs the state of the row. */
function stepWithState(context: StepContext, normalise: (text: string, state: string) => Outcome): Step {
  if (!isUs(context)) return plainStep(context, lineOfText);
  const { group, indexOf } = context;
  const { target, column, textOf } = group;
  const [index, stateIndex] = [indexOf(target), indexOf('state')];
  return (cells, row) => {
    const text = textOf(cells);
    if (text !== '') row.put(index, column, text, normalise(text, row.values[stateIndex] ?? ''));
  };
}

/** Fills first and last name, and custom fields for what else a name holds; never over a column's own value. */
function nameSplit({ column, textOf }: ColumnGroup, indexOf: (target: MappingTarget) => number): Step {
  const indexes = {
    first: indexOf('first_name'),
    last: indexOf('last_name'),
    prefix: indexOf(nameParts.prefix),
    middle: indexOf(nameParts.middle),
    suffix: indexOf(nameParts.suffix),
    second: indexOf(nameParts.second),
  };
  const parts = Object.entries(indexes) as [keyof typeof indexes, number][];
  return (cells, row) => {
    const text = textOf(cells);
    if (text === '') return;
    const name = fullName(text);
    for (const [part, index] of parts) {
      if (name[part] !== '' && row.values[index] === '') row.put(index, column, text, nameCase(name[part]));
    }
    if (name.doubt === 'two_people') row.addFinding('two_people', indexes.first, column, text, 'Two people in one row');
    if (name.doubt === 'unsure_split') {
      row.addFinding(
        'unsure_split',
        indexes.first,
        column,
        text,
        'It is unclear where the first name ends and the last name begins',
      );
    }
  };
}

/** Fills city, state and ZIP code but never overwrites a column's own value. A column of ZIP codes is read later and wins. */
function placeSplit(
  { column, textOf }: ColumnGroup,
  indexOf: (target: MappingTarget) => number,
  american: boolean,
): Step {
  const [city, stateIndex, zipIndex] = [indexOf('city'), indexOf('state'), indexOf('zip')];
  return (cells, row) => {
    const text = textOf(cells);
    if (text === '') return;
    const found = splitPlace(text);
    if (found.city !== '') row.put(city, column, text, nameCase(found.city));
    if (found.state !== '' && row.values[stateIndex] === '') {
      row.put(stateIndex, column, text, american ? state(found.state) : found.state);
    }
    if (found.zip !== '' && zipIndex < 0) row.keepUnclear('zip', found.zip);
    else if (found.zip !== '') {
      row.put(zipIndex, column, text, american ? zip(found.zip, row.values[stateIndex] ?? '') : found.zip);
    }
    if (found.unsure)
      row.addFinding('unsure_split', city, column, text, 'This is more than a city, a state and a ZIP code');
  };
}

/** All phone columns of a row. A second number in a cell becomes the person's other phone, if that is still empty. */
export function phonesStep(
  groups: readonly ColumnGroup[],
  indexOf: (target: MappingTarget) => number,
  region: string,
): Step {
  const phone = phoneIn(region);
  const columns = groups.map((group) => ({
    ...group,
    index: indexOf(group.target),
    other: group.target in otherPhone ? indexOf(otherPhone[group.target as keyof typeof otherPhone]) : -1,
  }));
  return (cells, row) => {
    let seconds: { number: string; target: MappingTarget; other: number }[] | undefined;
    for (const { target, column, index, other, textOf } of columns) {
      const text = textOf(cells);
      if (text === '') continue;
      const number = row.put(index, column, text, phone(text));
      if (number === '') continue;
      seconds ??= [];
      seconds.push({ number, target, other });
    }
    for (const { number, target, other } of seconds ?? []) {
      if (row.values.includes(number)) continue;
      if (other >= 0 && row.values[other] === '') row.values[other] = number;
      else row.keepUnclear(target, number);
    }
  };
}
