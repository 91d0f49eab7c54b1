import { isPersonField, type PersonField, personFieldEntries } from './person-fields.ts';
import { splitFields, type Transform } from './transforms.ts';

/** Where a column goes: a person field, a custom field of the tenant, or nowhere. */
export type MappingTarget = PersonField | `custom_fields.${string}` | 'skip';

/** One column of a list and where it goes. */
export interface FieldMapping {
  /** The column's header, distinct within the file. */
  source: string;
  target: MappingTarget;
  /** 0.0 to 1.0; calibrated: of the suggestions at or above 0.9, at least 97 % are right (`npm run bench -- mapping`). */
  confidence: number;
  transform?: Transform;
  /** Why it was suggested, shown to the user. */
  reason?: string;
  /** What it was learned from, to be forgotten; the name is the wire's. */
  learned_id?: string;
  /** Other targets worth offering, the likeliest first. */
  alternatives?: { target: MappingTarget; confidence: number }[];
}

const customFieldName = /^[a-z][a-z0-9_]{0,63}$/;
const maxCustomFieldLength = 5_000;

/** True for a person field, `skip`, or `custom_fields.` and a snake_case name of at most 64 characters. */
export function isMappingTarget(target: string): target is MappingTarget {
  if (target === 'skip' || isPersonField(target)) return true;
  const [prefix, name, ...rest] = target.split('.');
  return prefix === 'custom_fields' && rest.length === 0 && customFieldName.test(name ?? '');
}

/** The transform of a mapping: the one it names, else the usual one of its target. */
export function transformOf({ target, transform }: Pick<FieldMapping, 'target' | 'transform'>): Transform {
  return transform ?? (isPersonField(target) ? personFieldEntries[target].transform : undefined) ?? 'none';
}

/** Every person field that a mapping fills: one, or those of a split; none for custom fields and `skip`. */
export function fieldsFilledBy({ target, transform }: Pick<FieldMapping, 'target' | 'transform'>): PersonField[] {
  const split = splitFields(transform);
  if (split) return [...split];
  return isPersonField(target) ? [target] : [];
}

/** Every target that a mapping fills, custom fields included; none for `skip`. */
export function targetsFilledBy(mapping: Pick<FieldMapping, 'target' | 'transform'>): MappingTarget[] {
  const fields: MappingTarget[] = fieldsFilledBy(mapping);
  return fields.length === 0 && mapping.target !== 'skip' ? [mapping.target] : fields;
}

/** A header without case, punctuation and accents: its spellings are one. */
export const plainHeader = (header: string): string =>
  header
    .normalize('NFKD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

/** How many characters a target holds. */
export const maxLengthOf = (target: MappingTarget): number =>
  isPersonField(target) ? personFieldEntries[target].maxLength : maxCustomFieldLength;

/** A target as it is called in a sentence: `first name`, `ZIP code`, `custom field “shirt_size”`. */
export const targetInSentence = (target: MappingTarget): string =>
  isPersonField(target)
    ? personFieldEntries[target].label.replace(/^\p{Lu}(?!\p{Lu})/u, (letter) => letter.toLowerCase())
    : `custom field “${target.replace(/^custom_fields\./, '')}”`;

/** Several targets: `city, state and ZIP code`. */
export const targetsInSentence = (targets: readonly MappingTarget[]): string =>
  targets
    .map(targetInSentence)
    .join(', ')
    .replace(/, (?=[^,]+$)/, ' and ');
