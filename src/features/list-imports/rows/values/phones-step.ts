import type { MappingTarget } from '../../mapping/field-mapping.ts';
import type { ColumnGroup } from '../checks/column-groups.ts';
import type { Step } from '../checks/splits.ts';
import { otherPhone } from '../files/part-columns.ts';
import { phoneIn } from './phone.ts';

/** All phone columns of a row. A second number in a cell goes to the person's other phone, when nothing is known of that. */
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
      else row.keepAside(target, number);
    }
  };
}
