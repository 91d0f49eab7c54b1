import type { Actor } from '../../adapters/events/audit-log-entry.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Role } from '../../lib/http/routing/roles.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import type { Receipt } from '../notifications/notifications.ts';
import { incidentMarkdown } from './markdown.ts';
import {
  incidentDetails,
  incidentList,
  incidentQuery,
  noteBody,
  shownIncident,
  shownSummary,
  type VisibleTo,
  type WholeIncident,
} from './schema.ts';
import type { IncidentService } from './service.ts';
import type { IncidentStore } from './store.ts';

export interface IncidentRouteDeps {
  clock: Clock;
  /** Who received the alerts whose keys begin so. */
  receipts(prefix: string): Promise<Receipt[]>;
  visibleTo: VisibleTo;
}

/** Lists incidents, shows, acknowledges and exports one. */
export function incidentRoutes(
  rows: IncidentStore,
  service: IncidentService,
  { clock, receipts, visibleTo }: IncidentRouteDeps,
): Route[] {
  const common = { tag: 'Incidents' } as const;

  async function whole(id: string): Promise<WholeIncident> {
    const incident = await service.get(id);
    const [members, timeline, announcements] = await Promise.all([
      rows.members([id]),
      rows.entries(id),
      receipts(`incident/${id}/`),
    ]);
    return { incident, members, timeline, announcements };
  }
  const answer = async (id: string, role: Role) =>
    shownIncident(await whole(id), { now: clock.now(), role, visibleTo });

  return [
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/incidents',
        summary: 'List incidents',
        description:
          'Newest first. The manager opens an incident after consecutive failed health checks (setting `incident_failures`) or for a ' +
          'problem of its engine, nodes, proxy or disk. Tenants with the same cause share one. It is resolved when all have recovered.',
        access: 'view',
        query: incidentQuery,
        responses: { 200: { schema: incidentList } },
      },
      async ({ query: { status, tenant_id: tenantId, scope: scopes, limit, offset } }) => {
        const [{ items, total }, openCount] = await Promise.all([
          rows.list({ status, tenantId, scopes }, { limit, offset }),
          rows.countUnresolved(),
        ]);
        const members = Map.groupBy(await rows.members(items.map(({ id }) => id)), ({ incidentId }) => incidentId);
        return {
          incidents: items.map((incident) => shownSummary(incident, members.get(incident.id) ?? [], clock.now())),
          total,
          limit,
          offset,
          open_count: openCount,
        };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/incidents/{id}',
        summary: 'Get an incident with its tenants and timeline',
        access: 'view',
        responses: { 200: { schema: incidentDetails } },
        errors: ['not_found'],
      },
      ({ params, principal }) => answer(params.id, principal.role),
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/incidents/{id}/acknowledge',
        summary: 'Acknowledge an incident',
        description: 'Ends its reminders: nothing more is announced until it is resolved.',
        access: 'operate',
        responses: { 200: { schema: incidentDetails } },
        errors: ['not_found', 'invalid_state'],
      },
      async ({ params: { id }, principal }) => {
        await service.acknowledge(id, principal satisfies Actor);
        return answer(id, principal.role);
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/incidents/{id}/notes',
        summary: 'Add a note to an incident',
        access: 'operate',
        body: noteBody,
        responses: { 201: { schema: incidentDetails } },
        errors: ['not_found'],
      },
      async ({ params: { id }, body, principal }) => {
        await service.addNote(id, body.text, principal);
        return answer(id, principal.role);
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/incidents/{id}/export',
        summary: 'Export an incident as Markdown',
        access: 'operate',
        responses: { 200: { mediaType: 'text/markdown', description: 'A report with the timeline' } },
        errors: ['not_found'],
      },
      async ({ params: { id }, response }) => {
        const text = incidentMarkdown(await whole(id), clock.now());
        response.type('text/markdown').attachment(`incident-${id}.md`).send(text);
        return undefined;
      },
    ),
  ];
}
