import { Hono } from 'hono';
import { z } from 'zod';
import { failure } from './errors.js';
import { check, readBody } from './input.js';

export const pageQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  offset: z.coerce.number().int().min(0).default(0),
});

const personQuery = pageQuery.extend({ search: z.string().max(200).optional(), tag: z.string().max(100).optional() });

/** @throws 404 where there is none */
export function present(record) {
  if (!record) throw failure(404, 'There is no such record');
  return record;
}

/**
 * The five routes of one kind of record: list, create, read, update (any subset of the fields), delete.
 * @param {string} plural the list's name in its answer
 * @param {ReturnType<typeof import('../shared/table-store.js').tableStore>} store
 * @param {z.ZodObject} input
 */
export function resource(plural, store, input) {
  const routes = new Hono();
  routes.get('/', async (c) => {
    const page = check(pageQuery, c.req.query());
    const { items, total } = await store.list(page);
    return c.json({ [plural]: items, total, ...page });
  });
  routes.post('/', async (c) => c.json(await store.create(await readBody(c, input)), 201));
  routes.get('/:id', async (c) => c.json(present(await store.read(c.req.param('id')))));
  routes.put('/:id', async (c) =>
    c.json(present(await store.update(c.req.param('id'), await readBody(c, input.partial())))),
  );
  routes.delete('/:id', async (c) => {
    present(await store.remove(c.req.param('id')));
    return c.body(null, 204);
  });
  return routes;
}

/** People by search words and by tag: what the list of the other kinds lacks. */
export function personList(persons) {
  return async (c) => {
    const { limit, offset, search, tag } = check(personQuery, c.req.query());
    const rules = tag ? [{ field: 'tag', value: tag }] : [];
    const { items, total } = await persons.list({ search, rules, limit, offset });
    return c.json({ persons: items, total, limit, offset });
  };
}

/** Who belongs to a segment at this moment. */
export function segmentPersons(segments, persons) {
  return async (c) => {
    const { rules } = present(await segments.read(c.req.param('id')));
    const page = check(pageQuery, c.req.query());
    const { items, total } = await persons.list({ rules, ...page });
    return c.json({ persons: items, total, ...page });
  };
}
