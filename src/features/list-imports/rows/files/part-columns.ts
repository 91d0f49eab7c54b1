import { type FieldMapping, fieldsFilledBy, type MappingTarget, transformOf } from '../../mapping/field-mapping.ts';
import { personFields } from '../../mapping/person-fields.ts';

/** The custom field for values that their field can't hold, so that nothing is lost: "cell_phone: ask his mother". */
export const unclearValues = 'custom_fields.unclear_values';

/** What else a full name may hold. Most lists have columns of their own for these, which become custom fields too. */
export const nameParts = {
  prefix: 'custom_fields.name_prefix',
  middle: 'custom_fields.middle_name',
  suffix: 'custom_fields.name_suffix',
  second: 'custom_fields.second_person',
} as const;

export const otherPhone = { cell_phone: 'home_phone', home_phone: 'cell_phone' } as const;

const original = 'original.';

/**
 * Every target that a list's rows may fill, in the order of the columns that it is handed on in: the fields of a person,
 * then the custom fields.
 */
export function filledTargets(mappings: readonly FieldMapping[]): MappingTarget[] {
  const used = mappings.filter(({ target }) => target !== 'skip');
  const fields = new Set<MappingTarget>(used.flatMap(fieldsFilledBy));
  if (used.some((mapping) => transformOf(mapping) === 'phone' || mapping.target in otherPhone)) {
    for (const phone of Object.values(otherPhone)) fields.add(phone);
  }
  const custom = new Set<MappingTarget>(used.map(({ target }) => target).filter((target) => isCustom(target)));
  if (used.some((mapping) => transformOf(mapping) === 'full_name')) {
    for (const part of Object.values(nameParts)) custom.add(part);
  }
  custom.add(unclearValues);
  return [...personFields.filter((field) => fields.has(field)), ...custom];
}

/** The header row of a part. */
export function partHeader(
  mappings: readonly FieldMapping[],
  headers: readonly string[],
  originals: boolean,
): string[] {
  return [...filledTargets(mappings), ...(originals ? headers.map((header) => original + header) : [])];
}

/** `mappings` of the tenant's bulk import for a part: each column of its header row → its target. */
export function partMappings(
  mappings: readonly FieldMapping[],
  headers: readonly string[],
  originals: boolean,
): Record<string, string> {
  const skipped = originals ? headers.map((header) => [original + header, 'skip']) : [];
  return Object.fromEntries([...filledTargets(mappings).map((target) => [target, target]), ...skipped]);
}

function isCustom(target: MappingTarget): boolean {
  return target.startsWith('custom_fields.');
}
