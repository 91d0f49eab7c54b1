import { createContext, useContext } from 'react';
import { plainText } from '../../../components/log/plain-text.ts';
import { listsText } from '../messages.ts';
import type { Catalogue } from '../queries.ts';
import { customPrefix } from './mapping-rules.ts';

/** The manager's person fields and transforms, for everything below a list's page. */
export const CatalogueContext = createContext<Catalogue>({ groups: [], fields: [], transforms: [] });

export const useCatalogue = (): Catalogue => useContext(CatalogueContext);

/** The catalogue with its labels in the language of the page. */
export function inOwnLanguage({ groups, fields, transforms }: Catalogue): Catalogue {
  const own = listsText.catalogue;
  return {
    groups: groups.map((group) => ({ ...group, label: own.groups[group.name] ?? group.label })),
    fields: fields.map((field) => ({ ...field, label: own.fields[field.name] ?? field.label })),
    transforms: transforms.map((transform) => ({
      ...transform,
      label: own.transforms[transform.name] ?? transform.label,
    })),
  };
}

/** The label of a mapping's target. */
export function targetName({ fields }: Catalogue, target: string): string {
  const { ownNamed, skip } = listsText.targets;
  if (target === 'skip') return skip;
  if (target.startsWith(customPrefix)) return ownNamed(plainText(target.slice(customPrefix.length)));
  return fields.find(({ name }) => name === target)?.label ?? target;
}
