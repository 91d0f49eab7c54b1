import { AppError, type Issue } from '../../../lib/errors.ts';
import {
  type FieldMapping,
  fieldsFilledBy,
  type MappingTarget,
  targetInSentence,
  targetsFilledBy,
  targetsInSentence,
} from '../mapping/field-mapping.ts';
import { requiredFields } from '../mapping/person-fields.ts';
import { splitFields } from '../mapping/transforms.ts';

/**
 * What a user gave as mappings, held against the list's columns. A column that it does not name is skipped.
 * @returns one mapping a column, in the order of the columns
 * @throws AppError validation_error naming each entry; mapping_incomplete
 */
export function checkMappings(given: readonly FieldMapping[], headers: readonly string[]): FieldMapping[] {
  const single = [...sourceIssues(given, headers), ...given.flatMap(transformIssues)];
  // An invalid entry makes valid ones look wrong.
  const issues = single.length > 0 ? single : clashes(given);
  if (issues.length > 0) {
    const first = issues.slice(0, 3).map(({ path, message }) => `${path}: ${message}`);
    throw new AppError('validation_error', first.join('; '), { issues });
  }
  assertComplete(given);
  const bySource = new Map(given.map((mapping) => [mapping.source, mapping]));
  return headers.map((source) => bySource.get(source) ?? { source, target: 'skip', confidence: 1 });
}

/** @throws AppError mapping_incomplete naming the required fields that no column fills */
export function assertComplete(mappings: readonly FieldMapping[]): void {
  const filled = new Set<MappingTarget>(mappings.flatMap(fieldsFilledBy));
  const missing = requiredFields.filter((field) => !filled.has(field));
  if (missing.length === 0) return;
  throw new AppError('mapping_incomplete', `No column is chosen for ${targetsInSentence(missing)}`, {
    issues: missing.map((field) => ({ path: 'mappings', message: `A column must be mapped to ${field}` })),
  });
}

/** Columns that are not imported. */
export const unmappedOf = (mappings: readonly FieldMapping[]): string[] =>
  mappings.filter(({ target }) => target === 'skip').map(({ source }) => source);

function sourceIssues(given: readonly FieldMapping[], headers: readonly string[]): Issue[] {
  const known = new Set(headers);
  const seen = new Set<string>();
  return given.flatMap(({ source }, index) => {
    const path = `mappings.${index}.source`;
    if (!known.has(source)) return [{ path, message: `The list has no column ${JSON.stringify(source)}` }];
    if (seen.has(source)) return [{ path, message: `The column ${JSON.stringify(source)} is mapped twice` }];
    seen.add(source);
    return [];
  });
}

/** A split belongs to the first field that it fills. */
function transformIssues({ target, transform }: FieldMapping, index: number): Issue[] {
  const path = `mappings.${index}.transform`;
  const [first] = splitFields(transform) ?? [];
  if (first !== undefined && target !== first)
    return [{ path, message: `The transform ${transform} is only for a column that goes to ${first}` }];
  if (transform === 'join' && target === 'skip') return [{ path, message: 'A skipped column can’t be joined' }];
  return [];
}

/** Two columns may fill one field only where each says that they are joined. */
function clashes(given: readonly FieldMapping[]): Issue[] {
  const first = new Map<string, FieldMapping>();
  return given.flatMap((mapping, index) => {
    const filled = targetsFilledBy(mapping);
    const taken = filled.find((field) => {
      const other = first.get(field);
      return other && !(other.transform === 'join' && mapping.transform === 'join');
    });
    for (const field of filled) if (!first.has(field)) first.set(field, mapping);
    if (taken === undefined) return [];
    const other = JSON.stringify(first.get(taken)?.source);
    const message = `${JSON.stringify(mapping.source)} and ${other} both go to ${targetInSentence(taken)}; to join them, give both the transform “join”`;
    return [{ path: `mappings.${index}.target`, message }];
  });
}
