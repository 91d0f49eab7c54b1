import { z } from 'zod';

/** Query fields of every list: `limit` 1 to 500, `offset` from 0. */
export function pagingQuery(defaultLimit = 50) {
  return z.object({
    limit: z.coerce.number().int().min(1).max(500).default(defaultLimit),
    offset: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).meta({
      description:
        'Entries to skip. Pages are not a snapshot: while entries are added or removed, a page may repeat or miss one.',
    }),
  });
}

export type Paging = z.output<ReturnType<typeof pagingQuery>>;

/** The shape of every list: `{<plural>: [...], total, limit, offset}`. */
export function listOf<Name extends string, Item extends z.ZodType>(name: Name, item: Item) {
  return z.object({
    [name]: z.array(item),
    total: z.int(),
    limit: z.int(),
    offset: z.int(),
  } as { [Key in Name]: z.ZodArray<Item> } & { total: z.ZodInt; limit: z.ZodInt; offset: z.ZodInt });
}

/** A page of records as stores answer it. */
export interface Page<T> {
  items: T[];
  total: number;
}
