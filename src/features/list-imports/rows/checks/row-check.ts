import type { TableRow } from '../../../../adapters/tabular/tabular.ts';
import type { MappingTarget, Transform } from '../../mapping/field-mapping.ts';
import { nameOfTarget } from '../../mapping/field-names.ts';
import { filledTargets, unclearValues } from '../files/part-columns.ts';
import { zip } from '../files/zip-writer.ts';
import type { ListSource } from '../tasks.ts';
import { date } from '../values/date.ts';
import { district } from '../values/district.ts';
import { email } from '../values/email.ts';
import { nameCase } from '../values/name-case.ts';
import { phonesStep } from '../values/phones-step.ts';
import { state } from '../values/state.ts';
import { tags } from '../values/tags.ts';
import { lineOfText, plainText } from '../values/text.ts';
import { CheckedRow } from './checked-row.ts';
import { type ColumnGroup, columnGroups } from './column-groups.ts';
import type { Outcome } from './outcome.ts';
import { nameSplit, placeSplit, type Step } from './splits.ts';

export interface RowCheck {
  /** What the values of a checked row are for, in their order. */
  targets: readonly MappingTarget[];
  /** Normalises and checks a row. The answer is the same object each time, good until the next call. */
  check(row: TableRow): CheckedRow;
}

/** Steps that others look at come first: the state is known when ZIP codes and districts are looked at. */
const order: Transform[] = [
  'none',
  'name_case',
  'full_name',
  'state',
  'city_state_zip',
  'city_state',
  'zip',
  'district',
  'phone',
  'email',
  'date',
  'join',
];

/** Compiles mappings, once for all rows, into what is done to each row. */
export function rowCheck({ mappings, layout, options }: Pick<ListSource, 'mappings' | 'layout' | 'options'>): RowCheck {
  const targets = filledTargets(mappings);
  const row = new CheckedRow(targets);
  const indexOf = (target: MappingTarget): number => targets.indexOf(target);
  const groups = columnGroups(mappings, layout.headers);
  const sorted = groups.toSorted((one, other) => order.indexOf(one.transform) - order.indexOf(other.transform));
  const phones = sorted.filter(({ transform }) => transform === 'phone');
  const others = sorted.filter(({ transform }) => transform !== 'phone');
  const steps = others.map((group) => stepOf(group, indexOf, options.region));
  if (phones.length > 0) steps.push(phonesStep(phones, indexOf, options.region));
  const names = (['first_name', 'last_name'] as const).map((target) => ({
    index: indexOf(target),
    target,
    column: groups.find((group) => group.target === target || group.transform === 'full_name')?.column ?? null,
  }));
  const first = names[0];
  const repeatsHeaders = headersAgain(groups, layout.headers);
  const unclear = indexOf(unclearValues);
  const width = layout.headers.length;

  return {
    targets,
    check(tableRow) {
      row.begin(tableRow);
      const { cells } = tableRow;
      for (const step of steps) step(cells, row);
      if (tableRow.problem === 'broken_quotes') {
        const message = 'A quotation mark that opens a cell is not closed: several rows have run together';
        row.say('broken_quotes', undefined, null, cells.find(isBroken) ?? '', message);
      }
      if (tableRow.problem === 'too_many_cells') lookAtSurplus(row, cells.slice(width));
      if (repeatsHeaders(cells)) {
        row.say('repeated_headers', undefined, null, '', 'The headers of the list stand here once more');
        return row;
      }
      if (first && isTwo(row.values[first.index] ?? '') && row.findings.every(({ code }) => code !== 'two_people')) {
        row.say('two_people', first.index, first.column, row.values[first.index] ?? '', 'Two people in one row');
      }
      for (const { index, target, column } of names) {
        if (isName(row.values[index] ?? '')) continue;
        row.say(
          'required',
          index < 0 ? undefined : index,
          column,
          row.values[index] ?? '',
          `The ${nameOfTarget(target)} is missing`,
        );
      }
      const asides = row.asides();
      if (asides !== '') {
        row.values[unclear] = [row.values[unclear], asides].filter(Boolean).join('; ').slice(0, 5_000);
      }
      return row;
    },
  };
}

function stepOf(group: ColumnGroup, indexOf: (target: MappingTarget) => number, region: string): Step {
  const { target, column, textOf } = group;
  const index = indexOf(target);
  const american = region === 'US';
  const stateIndex = indexOf('state');
  const withState = (normalise: (text: string, state: string) => Outcome): Step => {
    if (!american) return simple(lineOfText);
    return (cells, row) => {
      const text = textOf(cells);
      if (text !== '') row.put(index, column, text, normalise(text, row.values[stateIndex] ?? ''));
    };
  };
  const simple = (normalise: (text: string) => Outcome): Step => {
    return (cells, row) => {
      const text = textOf(cells);
      if (text !== '') row.put(index, column, text, normalise(text));
    };
  };
  switch (group.transform) {
    case 'full_name':
      return nameSplit(group, indexOf);
    case 'city_state_zip':
    case 'city_state':
      return placeSplit(group, indexOf, american);
    case 'phone':
      return phonesStep([group], indexOf, region);
    case 'state':
      return simple(american ? state : lineOfText);
    case 'zip':
      return withState(zip);
    case 'district':
      return withState(district);
    case 'email':
      return simple(email);
    case 'date':
      return simple(date);
    case 'name_case':
      return simple(nameCase);
    case 'none':
    case 'join':
      return simple(target === 'tags' ? tags : plainText);
    default:
      return group.transform satisfies never;
  }
}

/** Whether a row has its headers where a person's names would be. */
function headersAgain(
  groups: readonly ColumnGroup[],
  headers: readonly string[],
): (cells: readonly string[]) => boolean {
  const columns = groups
    .filter(({ target }) => target === 'first_name' || target === 'last_name')
    .map(({ textOf }) => ({ textOf, header: textOf(headers).toLowerCase() }));
  return (cells) => {
    for (const { textOf, header } of columns) {
      const text = textOf(cells);
      if (text.length < header.length || text.trim().toLowerCase() !== header) return false;
    }
    return columns.length > 0;
  };
}

/** Cells that no header stands above. With values that do not fit, the row's cells have slipped out of their columns. */
function lookAtSurplus(row: CheckedRow, surplus: readonly string[]): void {
  const text = surplus
    .map((cell) => cell.trim())
    .filter(Boolean)
    .join(', ');
  if (text === '') return;
  if (row.findings.some(({ code }) => code.startsWith('invalid_'))) {
    const message =
      'The row has more cells than headers, and its values do not fit their columns: they seem to have slipped';
    row.say('shifted_cells', undefined, null, text, message);
  } else {
    row.say('extra_cells', undefined, null, text, 'The row has more cells than headers');
    row.keepAside('more', text);
  }
}

const isBroken = (cell: string): boolean => cell.startsWith('"') && cell.includes('\n');

function isName(text: string): boolean {
  const code = text.charCodeAt(0);
  if (text.length < 5 && noName.test(text)) return false;
  if ((code >= 65 && code <= 90) || (code >= 97 && code <= 122)) return true;
  return /[\p{L}\p{N}]/u.test(text);
}

/** NA may be a name. */
const noName = /^n(?:\/a|\.a\.?)$/i;

function isTwo(text: string): boolean {
  return text.includes('&') || (text.includes(' ') && / and /i.test(text));
}
