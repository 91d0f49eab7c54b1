import { z } from 'zod';
import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { Clock } from '../../../lib/clock.ts';
import { isTimeZone } from '../../../lib/clock.ts';
import { notFound } from '../../../lib/errors.ts';
import { instantText, timestamp, toTimestamp } from '../../../lib/http/routing/formats.ts';
import { listOf, pagingQuery } from '../../../lib/http/routing/paging.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { newId } from '../../../lib/ids.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import type { MaintenanceStore } from './store.ts';
import { coversTime, type MaintenanceWindow } from './window.ts';

const maxWeeklyMs = 7 * 86_400_000;

const newWindow = z
  .strictObject({
    tenant_id: z.uuid().nullable().meta({ description: 'null: all tenants, and the manager’s own problems' }),
    starts_at: instantText,
    ends_at: instantText,
    weekly: z.boolean().default(false).meta({ description: 'Repeats each week at the same time' }),
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be the name of a time zone, for example Europe/Madrid')
      .default('UTC')
      .meta({ description: 'The zone whose clock a weekly window follows' }),
    reason: z.string().trim().min(1).max(1_000),
  })
  .check(({ value, issues }) => {
    const length = Date.parse(value.ends_at) - Date.parse(value.starts_at);
    const message =
      length <= 0
        ? 'Must be after starts_at'
        : value.weekly && length >= maxWeeklyMs
          ? 'A weekly window must be shorter than a week'
          : undefined;
    if (message) issues.push({ code: 'custom', path: ['ends_at'], message, input: value });
  })
  .meta({ id: 'NewMaintenanceWindow' });

/** What a request says of a window. */
const fieldsOf = (body: z.output<typeof newWindow>) => ({
  tenantId: body.tenant_id,
  startsAt: new Date(body.starts_at),
  endsAt: new Date(body.ends_at),
  weekly: body.weekly,
  timeZone: body.time_zone,
  reason: body.reason,
});

const shownWindow = z
  .object({
    id: z.uuid(),
    tenant_id: z.uuid().nullable(),
    starts_at: timestamp,
    ends_at: timestamp,
    weekly: z.boolean(),
    time_zone: z.string(),
    reason: z.string(),
    active: z.boolean().meta({ description: 'Whether it covers the present' }),
    created_by: z.string(),
    created_at: timestamp,
  })
  .meta({ id: 'MaintenanceWindow' });

const show = (window: MaintenanceWindow, now: Date): z.input<typeof shownWindow> => ({
  id: window.id,
  tenant_id: window.tenantId,
  starts_at: toTimestamp(window.startsAt),
  ends_at: toTimestamp(window.endsAt),
  weekly: window.weekly,
  time_zone: window.timeZone,
  reason: window.reason,
  active: coversTime(window, now),
  created_by: window.createdBy,
  created_at: toTimestamp(window.createdAt),
});

/** Maintenance windows: incidents within them are recorded, but not announced. */
export function maintenanceRoutes(
  rows: MaintenanceStore,
  deps: { clock: Clock; tenants: Pick<Tenants, 'get'>; writeAuditLog: WriteAuditLog },
): Route[] {
  const common = { tag: 'Incidents' } as const;
  const { clock } = deps;

  async function audit(window: MaintenanceWindow, what: string, actor: { userId: string; username: string }) {
    const tenant = window.tenantId === null ? undefined : await deps.tenants.get(window.tenantId);
    await deps.writeAuditLog({
      level: 'info',
      category: 'audit',
      topic: 'settings',
      message: `${actor.username} ${what} a maintenance window: ${window.reason}`,
      ...(tenant ? { tenant: { id: tenant.id, slug: tenant.slug } } : {}),
      details: { user_id: actor.userId, username: actor.username, ...show(window, clock.now()) },
    });
  }

  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/maintenance-windows',
        summary: 'List maintenance windows',
        description:
          'Newest first. During one, incidents of its tenants are recorded but not announced until it ends; other alerts about them are only in the inbox. `tenant_id`: those that apply to a tenant.',
        access: 'view',
        query: pagingQuery().extend({ tenant_id: z.string().optional() }),
        responses: {
          200: { schema: listOf('maintenance_windows', shownWindow).meta({ id: 'MaintenanceWindowList' }) },
        },
      },
      async ({ query: { tenant_id: tenantId, limit, offset } }) => {
        const { items, total } = await rows.list(tenantId, { limit, offset });
        return { maintenance_windows: items.map((window) => show(window, clock.now())), total, limit, offset };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/maintenance-windows',
        summary: 'Add a maintenance window',
        access: 'operate',
        body: newWindow,
        responses: { 201: { schema: shownWindow } },
        errors: ['not_found'],
      },
      async ({ body, principal }) => {
        if (body.tenant_id !== null) await deps.tenants.get(body.tenant_id);
        const window: MaintenanceWindow = {
          id: newId(),
          ...fieldsOf(body),
          createdBy: principal.username,
          createdAt: clock.now(),
        };
        await rows.insert(window);
        await audit(window, 'added', principal);
        return show(window, clock.now());
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'put',
        path: '/api/maintenance-windows/{id}',
        summary: 'Change a maintenance window',
        description:
          'Replaces all of it; who added it and when stay. Open incidents that it no longer covers are announced.',
        access: 'operate',
        body: newWindow,
        responses: { 200: { schema: shownWindow } },
        errors: ['not_found'],
      },
      async ({ params: { id }, body, principal }) => {
        const before = await rows.find(id);
        if (!before) throw notFound('maintenance window', id);
        if (body.tenant_id !== null) await deps.tenants.get(body.tenant_id);
        const window: MaintenanceWindow = { ...before, ...fieldsOf(body) };
        if ((await rows.update(window)) === 0) throw notFound('maintenance window', id);
        await audit(window, 'changed', principal);
        return show(window, clock.now());
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        path: '/api/maintenance-windows/{id}',
        summary: 'Delete a maintenance window',
        description: 'Ends it as well: open incidents that it covered are announced.',
        access: 'operate',
        responses: { 200: { schema: shownWindow } },
        errors: ['not_found'],
      },
      async ({ params: { id }, principal }) => {
        const window = await rows.find(id);
        if (!window || (await rows.remove(id)) === 0) throw notFound('maintenance window', id);
        await audit(window, 'deleted', principal);
        return show(window, clock.now());
      },
    ),
  ];
}
