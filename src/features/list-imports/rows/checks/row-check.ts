import type { TableRow } from '../../../../adapters/tabular/tabular.ts';
import { type MappingTarget, targetInSentence } from '../../mapping/field-mapping.ts';
import { transforms } from '../../mapping/transforms.ts';
import { filledTargets, unclearValues } from '../files/part-columns.ts';
import { phonesStep, stepOf } from '../steps.ts';
import type { ListSource } from '../tasks.ts';
import { CheckedRow } from './checked-row.ts';
import { type ColumnGroup, columnGroups } from './column-groups.ts';

export interface RowCheck {
  /** The targets of a checked row's values, in order. */
  targets: readonly MappingTarget[];
  /** Normalises and checks a row. The answer is the same object each time, good until the next call. */
  check(row: TableRow): CheckedRow;
}

/** Compiles mappings, once for all rows, into what is done to each row. */
export function rowCheck({ mappings, layout, options }: Pick<ListSource, 'mappings' | 'layout' | 'options'>): RowCheck {
  const targets = filledTargets(mappings);
  const row = new CheckedRow(targets);
  const indexOf = (target: MappingTarget): number => targets.indexOf(target);
  const groups = columnGroups(mappings, layout.headers);
  const sorted = groups.toSorted(
    (one, other) => transforms.indexOf(one.transform) - transforms.indexOf(other.transform),
  );
  const phones = sorted.filter(({ transform }) => transform === 'phone');
  const others = sorted.filter(({ transform }) => transform !== 'phone');
  const steps = others.map((group) => stepOf({ group, indexOf, region: options.region }));
  if (phones.length > 0) steps.push(phonesStep(phones, indexOf, options.region));
  const names = (['first_name', 'last_name'] as const).map((target) => ({
    index: indexOf(target),
    target,
    column: groups.find((group) => group.target === target || group.transform === 'full_name')?.column ?? null,
  }));
  const first = names[0];
  const repeatsHeaders = repeatedHeaders(groups, layout.headers);
  const unclear = indexOf(unclearValues);
  const width = layout.headers.length;

  return {
    targets,
    check(tableRow) {
      row.start(tableRow);
      const { cells } = tableRow;
      for (const step of steps) step(cells, row);
      if (tableRow.problem === 'broken_quotes') {
        const message = 'A quotation mark that opens a cell is not closed: several rows have run together';
        row.addFinding('broken_quotes', undefined, null, cells.find(isBroken) ?? '', message);
      }
      if (tableRow.problem === 'too_many_cells') reportSurplusCells(row, cells.slice(width));
      if (repeatsHeaders(cells)) {
        row.addFinding('repeated_headers', undefined, null, '', 'The row repeats the headers of the list');
        return row;
      }
      if (first && isTwo(row.values[first.index] ?? '') && row.findings.every(({ code }) => code !== 'two_people')) {
        row.addFinding('two_people', first.index, first.column, row.values[first.index] ?? '', 'Two people in one row');
      }
      for (const { index, target, column } of names) {
        if (isName(row.values[index] ?? '')) continue;
        row.addFinding(
          'required',
          index < 0 ? undefined : index,
          column,
          row.values[index] ?? '',
          `The ${targetInSentence(target)} is missing`,
        );
      }
      const asides = row.unclear();
      if (asides !== '') {
        row.values[unclear] = [row.values[unclear], asides].filter(Boolean).join('; ').slice(0, 5_000);
      }
      return row;
    },
  };
}

/** Whether a row has its headers where a person's names would be. */
function repeatedHeaders(
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

/** Cells without a header. If other values do not fit their columns either, the row's cells are shifted. */
function reportSurplusCells(row: CheckedRow, surplus: readonly string[]): void {
  const text = surplus
    .map((cell) => cell.trim())
    .filter(Boolean)
    .join(', ');
  if (text === '') return;
  if (row.findings.some(({ code }) => code.startsWith('invalid_'))) {
    const message =
      'The row has more cells than headers, and its values do not fit their columns: they seem to be shifted';
    row.addFinding('shifted_cells', undefined, null, text, message);
  } else {
    row.addFinding('extra_cells', undefined, null, text, 'The row has more cells than headers');
    row.keepUnclear('more', text);
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
