import { z } from 'zod';
import { refuseOrphan } from '../../../adapters/store/conflicts.ts';
import type { Store } from '../../../adapters/store/store.ts';
import { defineTable, instant, json, key, ownedBy, tableIn } from '../../../adapters/store/table.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isTimeZone } from '../../../lib/clock.ts';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { notFound } from '../../../lib/errors.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';

const view = z.strictObject({
  name: z.string().trim().min(1).max(100),
  query: z.string().max(2_000).meta({ description: 'Search, filters and order, as in the address of the page' }),
  columns: z.array(z.string().max(50)).max(50),
});
const uniqueNames = (views: readonly { name: string }[]): boolean =>
  new Set(views.map(({ name }) => name)).size === views.length;
const tenantViews = z
  .array(view)
  .max(100)
  .refine(uniqueNames, { message: 'Each view needs a name of its own' })
  .meta({ description: 'Saved views of the list of tenants' });

const fields = {
  tenant_views: tenantViews,
  language: z.enum(['en', 'es']).nullable().meta({ description: 'Of the dashboard; null: as the browser has it' }),
  time_zone: z
    .string()
    .max(100)
    .refine(isTimeZone, { message: 'Must be the name of a time zone, such as America/Chicago' })
    .nullable()
    .meta({ description: 'Of all times in the dashboard (IANA name); null: as the browser has it' }),
};
const preferences = z.object(fields).meta({ id: 'Preferences' });
const changes = z.strictObject(fields).partial().meta({ id: 'PreferenceChanges' });
type Preferences = z.output<typeof preferences>;

const defaults: Preferences = { tenant_views: [], language: null, time_zone: null };

const columns = { userId: key(ownedBy('users')), preferences: json<Partial<Preferences>>(), updatedAt: instant };
export const userPreferencesTable = defineTable('user_preferences', columns);

/** How each user likes the dashboard: the same in every browser. */
export function preferenceRoutes(store: Store, clock: Clock): Route[] {
  const table = tableIn(store, userPreferencesTable);
  const perUser = new KeyedLock();

  const change = (userId: string, changed: z.output<typeof changes>): Promise<Preferences> =>
    perUser.run(userId, async () => {
      const kept = await table.find({ userId });
      // JSON has no undefined: a key that is there has a value.
      const next = { ...defaults, ...kept?.preferences, ...(changed as Partial<Preferences>) };
      const row = { preferences: next, updatedAt: clock.now() };
      if (kept) await table.update(row, { userId });
      else await refuseOrphan(table.insert({ userId, ...row }), () => notFound('user', userId));
      return next;
    });

  const common = { tag: 'Authentication', path: '/api/auth/preferences', access: 'view' } as const;
  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        summary: 'The current user’s preferences',
        responses: { 200: { schema: preferences } },
      },
      async ({ principal: { userId } }) => ({ ...defaults, ...(await table.find({ userId }))?.preferences }),
    ),
    defineRoute(
      {
        ...common,
        method: 'put',
        summary: 'Change the current user’s preferences',
        description: 'What is left out stays as it is.',
        body: changes,
        responses: { 200: { schema: preferences } },
      },
      ({ principal, body }) => change(principal.userId, body),
    ),
  ];
}
