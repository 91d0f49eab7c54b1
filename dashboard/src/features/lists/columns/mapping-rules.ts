import type { Catalogue, Mapping } from '../queries.ts';

type Chosen = Pick<Mapping, 'target' | 'transform'>;

export const customPrefix = 'custom_fields.';
const customName = /^[a-z][a-z0-9_]{0,63}$/;

/** A column's targets: a field, or the fields of a split; none if it is not imported. */
function filledBy({ transforms }: Catalogue, { target, transform }: Chosen): string[] {
  if (target === 'skip') return [];
  const split = transforms.find(({ name }) => name === transform)?.fills ?? [];
  return split.length > 0 ? split : [target];
}

/** Fields that an import needs, each with the column that fills it. */
export const neededFields = (
  catalogue: Catalogue,
  mappings: readonly Mapping[],
): { field: string; label: string; source: string | undefined }[] =>
  catalogue.fields
    .filter(({ required }) => required)
    .map(({ name, label }) => ({
      field: name,
      label,
      source: mappings.find((mapping) => filledBy(catalogue, mapping).includes(name))?.source,
    }));

/** Labels of required fields without a column. */
export const missingFields = (catalogue: Catalogue, mappings: readonly Mapping[]): string[] =>
  neededFields(catalogue, mappings).flatMap(({ label, source }) => (source === undefined ? [label] : []));

export interface Clash {
  field: string;
  other: string;
  /** Whether the two can be joined: neither is split. */
  joinable: boolean;
}

/** Names of columns mapped to a target that another column has, too; the manager rejects those. */
export function clashesOf(catalogue: Catalogue, mappings: readonly Mapping[]): ReadonlyMap<string, Clash> {
  const byField = new Map<string, Mapping[]>();
  for (const mapping of mappings)
    for (const field of filledBy(catalogue, mapping)) byField.set(field, [...(byField.get(field) ?? []), mapping]);
  const clashes = new Map<string, Clash>();
  for (const [field, all] of byField) {
    if (all.length < 2 || all.every(({ transform }) => transform === 'join')) continue;
    const joinable = all.every((mapping) => filledBy(catalogue, mapping).length === 1);
    for (const { source } of all) {
      const other = all.find((mapping) => mapping.source !== source)?.source ?? '';
      clashes.set(source, { field, other, joinable });
    }
  }
  return clashes;
}

export const isBadName = (target: string): boolean =>
  target.startsWith(customPrefix) && !customName.test(target.slice(customPrefix.length));

/** The name of a custom field, derived from a column's. */
export function proposeName(source: string): string {
  const words = source
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|(?<!_)_+$/g, '');
  return words.slice(0, 64) || 'own_field';
}

type Transform = NonNullable<Mapping['transform']>;

/** A target's default transform. */
const usualTransform = ({ fields }: Catalogue, target: string): Transform =>
  fields.find(({ name }) => name === target)?.transform ?? 'none';

/** The transforms available for a target. @param shared whether other columns have the same target */
export function transformsFor(catalogue: Catalogue, target: string, shared: boolean): Transform[] {
  if (target === 'skip') return [];
  const isCustom = target.startsWith(customPrefix);
  const offered = catalogue.transforms.filter((one) => one.fills[0] === target || (isCustom && one.for_custom_fields));
  const splits = offered.filter(({ fills }) => fills.length > 0).map(({ name }) => name);
  const others = offered.filter(({ fills }) => fills.length === 0).map(({ name }) => name);
  return [...new Set([usualTransform(catalogue, target), ...splits, 'none' as const, ...others])].concat(
    shared ? ['join'] : [],
  );
}

/** The transform of a mapping: its own, else its target's default. */
export const transformOf = (catalogue: Catalogue, { target, transform }: Chosen): Transform =>
  transform ?? usualTransform(catalogue, target);
