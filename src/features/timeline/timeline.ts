import { toTimestamp } from '../../lib/http/routing/formats.ts';
import { may, type Role } from '../../lib/http/routing/roles.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import type { AuditLog } from '../audit-log/audit-log.ts';
import type { Incidents } from '../incidents/incidents.ts';
import type { Tenants } from '../tenants/tenants.ts';
import {
  cursorText,
  fleetTimelineQuery,
  type TimelineKind,
  type TimelineQuery,
  timelineAnswer,
  timelineKinds,
  timelineQuery,
} from './schema.ts';
import { readPage, type SourceEntry } from './service.ts';
import { incidentSource, logSource, type OperationJournal, operationSource } from './sources.ts';

export interface TimelineDeps {
  auditLog: Pick<AuditLog, 'newest'>;
  operations: OperationJournal;
  incidents: Pick<Incidents, 'changes'>;
  tenants: Pick<Tenants, 'get' | 'namesOf'>;
}

/** Kinds that are only in the audit log, which viewers may not read. */
const onlyInAuditLog: ReadonlySet<TimelineKind> = new Set([
  'service',
  'configuration',
  'theme',
  'certificate',
  'import',
  'tenant',
  'settings',
  'user',
  'sign_in',
]);

/** Kinds that are never about a tenant. */
const ofManager: ReadonlySet<TimelineKind> = new Set(['user', 'sign_in']);

/** What changed, for a tenant and for all: merges what the other features stored, and stores nothing. */
export function createTimeline({ auditLog, operations, incidents, tenants }: TimelineDeps): { routes: Route[] } {
  const sources = {
    incident: incidentSource(incidents),
    operation: operationSource(operations),
    log: logSource(auditLog),
  };

  async function answer(
    { kinds: asked = [...timelineKinds], tenant_id: tenantId, ...query }: TimelineQuery,
    role: Role,
  ) {
    const includesAudit = may(role, 'operate');
    const kinds = timelineKinds.filter(
      (kind) => (includesAudit || !onlyInAuditLog.has(kind)) && (tenantId === undefined || !ofManager.has(kind)),
    );
    const wanted = new Set(asked.filter((kind) => kinds.includes(kind)));
    const { entries, next } = await readPage(sources, { ...query, kinds: wanted, tenantId, includesAudit });
    const names = await tenants.namesOf([...new Set(entries.flatMap(({ tenant }) => tenant?.id ?? []))]);
    return {
      entries: entries.map(({ source, id, at, tenant, ...entry }) => ({
        ...entry,
        id: cursorText({ at, source, id }),
        at: toTimestamp(at),
        tenant: tenant && shownTenant(tenant, names),
      })),
      next,
      kinds,
    };
  }

  const common = {
    method: 'get',
    tag: 'Timeline',
    access: 'view',
    responses: { 200: { schema: timelineAnswer } },
  } as const;
  const description =
    'Newest first: health, incidents, deployments and upgrades, backups, imports, configuration and what else the audit log holds. ' +
    'Viewers don’t see kinds that are only in the audit log. An entry has the time at which the work was requested; its outcome is the ' +
    'current one. For the next page, repeat the request with `before`. Pages neither repeat nor miss an entry.';

  return {
    routes: [
      defineRoute(
        {
          ...common,
          path: '/api/timeline',
          summary: 'List what changed at all tenants and the manager',
          description: `${description} What happens to each tenant of an incident is only in the tenant’s timeline.`,
          query: fleetTimelineQuery,
        },
        ({ query, principal }) => answer(query, principal.role),
      ),
      defineRoute(
        {
          ...common,
          path: '/api/tenants/{id}/timeline',
          summary: 'List what changed at a tenant',
          description,
          query: timelineQuery,
          errors: ['not_found'],
        },
        async ({ params: { id }, query, principal }) => {
          await tenants.get(id);
          return answer({ ...query, tenant_id: id }, principal.role);
        },
      ),
    ],
  };
}

const shownTenant = ({ id, name }: NonNullable<SourceEntry['tenant']>, names: ReadonlyMap<string, string>) => ({
  id,
  name: names.get(id) ?? name ?? id,
  deleted: !names.has(id),
});
