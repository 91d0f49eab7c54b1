import type { Store, Transaction } from '../../../adapters/store/store.ts';
import { defineTable, key, type RowOf, tableIn, text } from '../../../adapters/store/table.ts';
import { invalid, notFound } from '../../../lib/errors.ts';
import { searchTerm } from '../search-text.ts';
import type { TenantStore } from '../store.ts';

/** The colours of labels; none is the colour of a state. */
export const tagColors = ['slate', 'teal', 'plum', 'clay', 'olive', 'sky'] as const;
export type TagColor = (typeof tagColors)[number];

export const maxTags = 20;

/** A tenant's tags after some were added and removed; undefined: none were. @throws AppError validation_error */
export function changedTags(
  before: readonly string[],
  {
    addTags = [],
    removeTags = [],
  }: { addTags?: readonly string[] | undefined; removeTags?: readonly string[] | undefined },
): string[] | undefined {
  if (addTags.length + removeTags.length === 0) return undefined;
  const [added, removed] = [addTags, removeTags].map((names) => new Set(names.map(searchTerm)));
  const kept = before.filter((name) => !added?.has(searchTerm(name)) && !removed?.has(searchTerm(name)));
  if (kept.length + addTags.length > maxTags) throw invalid('tags', `must be at most ${maxTags}`);
  return [...kept, ...addTags];
}

/** `folded`: the name without case and accents, so that a tag has one spelling. */
const columns = { folded: key(text(255)), name: text(80), color: text<TagColor>(20) };
export const tagsTable = defineTable('tags', columns);
type Tag = Pick<RowOf<typeof columns>, 'name' | 'color'>;

/** The tags of tenants. A tag with its spelling and its colour exists while a tenant has it. */
export function createTags(store: Store, tenants: Pick<TenantStore, 'tagsInUse' | 'someHasTag'>) {
  const tags = tableIn(store, tagsTable);

  async function known(names: readonly string[], transaction?: Transaction): Promise<Map<string, Tag>> {
    const found = await tags.all({ where: { folded: names.map(searchTerm) }, transaction });
    return new Map(found.map(({ folded, ...tag }) => [folded, tag]));
  }

  return {
    /**
     * The names as they are spelt already, in alphabetical order; a new tag gets the next colour. Needs the lock `tenants`.
     */
    async register(names: readonly string[], transaction: Transaction): Promise<string[]> {
      if (names.length === 0) return [];
      const before = await known(names, transaction);
      const added = names.filter((name) => !before.has(searchTerm(name)));
      const count = added.length > 0 ? await tags.count({}, transaction) : 0;
      await tags.insertAll(
        added.map((name, index) => ({
          folded: searchTerm(name),
          name,
          color: tagColors[(count + index) % tagColors.length] ?? tagColors[0],
        })),
        transaction,
      );
      return names.map((name) => before.get(searchTerm(name))?.name ?? name).sort();
    },

    /** Removes those of these tags that no tenant has any more. Needs the lock `tenants`. */
    async removeUnused(names: readonly string[], transaction: Transaction): Promise<void> {
      for (const name of names)
        if (!(await tenants.someHasTag(name, transaction)))
          await tags.remove({ folded: searchTerm(name) }, { transaction });
    },

    /** The spelling of a tag; undefined: it does not exist. */
    nameOf: async (name: string): Promise<string | undefined> => (await known([name])).get(searchTerm(name))?.name,

    /** The tags that tenants have, in alphabetical order, with the number of their tenants. */
    async list(): Promise<(Tag & { tenants: number })[]> {
      const counts = new Map<string, number>();
      for (const name of await tenants.tagsInUse()) counts.set(name, (counts.get(name) ?? 0) + 1);
      const inUse = await tags.all({ where: { name: [...counts.keys()] }, order: [['folded', 'ASC']] });
      return inUse.map(({ name, color }) => ({ name, color, tenants: counts.get(name) ?? 0 }));
    },

    /** @throws AppError not_found */
    setColor: (name: string, color: TagColor): Promise<{ before: Tag; after: Tag }> =>
      store.transaction(async (transaction) => {
        await store.lock('tenants', transaction);
        const before = (await known([name], transaction)).get(searchTerm(name));
        if (!before) throw notFound('tag', name);
        await tags.update({ color }, { folded: searchTerm(name) }, transaction);
        return { before, after: { ...before, color } };
      }),
  };
}

export type Tags = ReturnType<typeof createTags>;
