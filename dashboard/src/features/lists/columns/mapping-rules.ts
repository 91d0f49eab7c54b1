import type { Mapping } from '../queries.ts';

type Chosen = Pick<Mapping, 'target' | 'transform'>;

export const customPrefix = 'custom_fields.';
const customName = /^[a-z][a-z0-9_]{0,63}$/;
const required = ['first_name', 'last_name'];

/** What a column fills: a field, or those of a split; nothing where it is not imported. */
export function filledBy({ target, transform }: Chosen): string[] {
  if (target === 'skip') return [];
  if (transform === 'full_name') return ['first_name', 'last_name'];
  if (transform === 'city_state_zip') return ['city', 'state', 'zip'];
  if (transform === 'city_state') return ['city', 'state'];
  return [target];
}

/** Fields that an import needs, each with the column that fills it. */
export const neededFields = (mappings: readonly Mapping[]): { field: string; source: string | undefined }[] =>
  required.map((field) => ({
    field,
    source: mappings.find((mapping) => filledBy(mapping).includes(field))?.source,
  }));

/** Needed fields that no column fills. */
export const missingFields = (mappings: readonly Mapping[]): string[] =>
  neededFields(mappings).flatMap(({ field, source }) => (source === undefined ? [field] : []));

export interface Clash {
  field: string;
  other: string;
  /** Whether the two can be joined: neither is split. */
  joinable: boolean;
}

/** Columns that fill what another fills, too, by their names; the manager refuses those. */
export function clashesOf(mappings: readonly Mapping[]): ReadonlyMap<string, Clash> {
  const byField = new Map<string, Mapping[]>();
  for (const mapping of mappings)
    for (const field of filledBy(mapping)) byField.set(field, [...(byField.get(field) ?? []), mapping]);
  const clashes = new Map<string, Clash>();
  for (const [field, all] of byField) {
    if (all.length < 2 || all.every(({ transform }) => transform === 'join')) continue;
    const joinable = all.every((mapping) => filledBy(mapping).length === 1);
    for (const { source } of all) {
      const other = all.find((mapping) => mapping.source !== source)?.source ?? '';
      clashes.set(source, { field, other, joinable });
    }
  }
  return clashes;
}

export const isBadName = (target: string): boolean =>
  target.startsWith(customPrefix) && !customName.test(target.slice(customPrefix.length));

/** A name for an own field, made of a column's. */
export function proposeName(source: string): string {
  const words = source
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|(?<!_)_+$/g, '');
  return words.slice(0, 64) || 'own_field';
}

/** What is usually done to a field's values. */
const usual: Record<string, NonNullable<Mapping['transform']>> = {
  first_name: 'name_case',
  last_name: 'name_case',
  city: 'name_case',
  state: 'state',
  zip: 'zip',
  congressional_district: 'district',
  home_phone: 'phone',
  cell_phone: 'phone',
  email: 'email',
};

type Transform = NonNullable<Mapping['transform']>;

/** What can be done to the values of a field. @param shared whether other columns go there, too */
export function treatmentsOf(target: string, shared: boolean): Transform[] {
  if (target === 'skip') return [];
  const normal = usual[target];
  return [
    ...(normal ? [normal] : []),
    ...(target === 'first_name' ? (['full_name'] as const) : []),
    ...(target === 'city' ? (['city_state_zip', 'city_state'] as const) : []),
    'none',
    ...(target.startsWith(customPrefix) ? (['date'] as const) : []),
    ...(shared ? (['join'] as const) : []),
  ];
}

/** What is done to a column's values: as it says, else as usual. */
export const treatmentOf = ({ target, transform }: Chosen): Transform => transform ?? usual[target] ?? 'none';
