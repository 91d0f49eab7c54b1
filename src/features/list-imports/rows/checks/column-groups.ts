import { type FieldMapping, type MappingTarget, transformOf } from '../../mapping/field-mapping.ts';
import type { Transform } from '../../mapping/transforms.ts';
import { isSpreadsheetError } from './outcome.ts';

/** The columns that make one value: one, or those that are joined. */
export interface ColumnGroup {
  target: MappingTarget;
  transform: Transform;
  /** Headers, joined by " + ". */
  column: string;
  /** The value in a row's cells; of joined columns those that are not blank, with a space between. */
  textOf(cells: readonly string[]): string;
}

/** The columns that are read, in the order of the file, without skipped and unmapped ones. */
export function columnGroups(mappings: readonly FieldMapping[], headers: readonly string[]): ColumnGroup[] {
  const columns = mappings
    .filter(({ target }) => target !== 'skip')
    .map((mapping) => ({ mapping, index: headers.indexOf(mapping.source) }))
    .filter(({ index }) => index >= 0)
    .sort((one, other) => one.index - other.index);
  const joined = Map.groupBy(columns, ({ mapping }) => mapping.target);
  return columns.flatMap(({ mapping, index }) => {
    const { target, source } = mapping;
    const transform = transformOf(mapping);
    if (transform !== 'join') {
      return { target, transform, column: source, textOf: (cells: readonly string[]) => textIn(cells[index]) };
    }
    const group = (joined.get(target) ?? []).filter((one) => transformOf(one.mapping) === 'join');
    if (group[0]?.index !== index) return [];
    return {
      target,
      transform: transformOf({ target }),
      column: group.map((one) => one.mapping.source).join(' + '),
      textOf: joinedText(
        group.map((one) => one.index),
        target === 'tags' ? ',' : ' ',
      ),
    };
  });
}

/** The value of a failed formula is not imported; the row's original data contain it. */
function textIn(cell = ''): string {
  return isSpreadsheetError(cell) ? '' : cell;
}

function joinedText(indexes: readonly number[], between: string): ColumnGroup['textOf'] {
  return (cells) => {
    let text = '';
    for (const index of indexes) {
      const cell = textIn(cells[index]).trim();
      if (cell !== '') text = text === '' ? cell : text + between + cell;
    }
    return text;
  };
}
