import type { MappingTarget } from '../../mapping/field-mapping.ts';
import { nameParts } from '../files/part-columns.ts';
import { zip } from '../files/zip-writer.ts';
import { fullName } from '../values/full-name.ts';
import { nameCase } from '../values/name-case.ts';
import { place } from '../values/place.ts';
import { state } from '../values/state.ts';
import type { CheckedRow } from './checked-row.ts';
import type { ColumnGroup } from './column-groups.ts';

/** One thing that is done to each row. */
export type Step = (cells: readonly string[], row: CheckedRow) => void;

/** Fills first and last name, and custom fields for what else a name holds; never over a column's own value. */
export function nameSplit({ column, textOf }: ColumnGroup, indexOf: (target: MappingTarget) => number): Step {
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
    if (name.doubt === 'two_people') row.say('two_people', indexes.first, column, text, 'Two people in one row');
    if (name.doubt === 'unsure_split') {
      row.say(
        'unsure_split',
        indexes.first,
        column,
        text,
        'It is not sure where the first name ends and the last begins',
      );
    }
  };
}

/** Fills city, state and ZIP code; never over a column's own value. Beside a column of ZIP codes, which are looked at later, that one counts. */
export function placeSplit(
  { column, textOf }: ColumnGroup,
  indexOf: (target: MappingTarget) => number,
  american: boolean,
): Step {
  const [city, stateIndex, zipIndex] = [indexOf('city'), indexOf('state'), indexOf('zip')];
  return (cells, row) => {
    const text = textOf(cells);
    if (text === '') return;
    const found = place(text);
    if (found.city !== '') row.put(city, column, text, nameCase(found.city));
    if (found.state !== '' && row.values[stateIndex] === '') {
      row.put(stateIndex, column, text, american ? state(found.state) : found.state);
    }
    if (found.zip !== '' && zipIndex < 0) row.keepAside('zip', found.zip);
    else if (found.zip !== '') {
      row.put(zipIndex, column, text, american ? zip(found.zip, row.values[stateIndex] ?? '') : found.zip);
    }
    if (found.unsure) row.say('unsure_split', city, column, text, 'This is not only a city, a state and a ZIP code');
  };
}
