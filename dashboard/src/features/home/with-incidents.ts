import type { Attention } from '../../api/queries.ts';
import type { IncidentSummary } from '../incidents/queries.ts';

export type AttentionWithIncidents = Pick<Attention, 'items' | 'behind' | 'system'> & {
  incidents: readonly IncidentSummary[];
};

/** What needs attention, with open incidents first instead of the findings that they are about. */
export function withIncidents(
  { items, behind, system }: Attention,
  incidents: readonly IncidentSummary[],
): AttentionWithIncidents {
  const affected = new Set(incidents.flatMap(({ tenants }) => tenants.map(({ id }) => id)));
  const places = new Set(incidents.map(({ cause: { scope } }) => `${scope.kind} ${scope.name}`));
  return {
    incidents,
    items: items.filter(
      ({ kind, tenant }) => !((kind === 'unhealthy' || kind === 'not_running') && affected.has(tenant.id)),
    ),
    behind,
    system: system.filter(({ kind, name }) => !places.has(`${kind} ${name}`)),
  };
}

/** How many problems there are. Tenants that are behind are none: nothing is wrong, and an upgrade can wait. */
export const countOf = ({ incidents, items, system }: Omit<AttentionWithIncidents, 'behind'>): number =>
  incidents.length + items.length + system.length;
