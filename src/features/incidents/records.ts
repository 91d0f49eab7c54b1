import type { EventBus } from '../../adapters/events/bus.ts';
import type { Transaction } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { durationText } from '../../lib/clock.ts';
import type { Severity } from '../notifications/alert.ts';
import { type Cause, familyOf, shownOf } from './cause.ts';
import { type Incident, isWorse, openedFor, returnsWithinMs, severityOf } from './incident.ts';
import type { MaintenanceCheck } from './maintenance/window.ts';
import type { Entry, IncidentStore } from './store.ts';

export interface RecordsDeps {
  clock: Clock;
  events: Pick<EventBus, 'publish'>;
  isInMaintenance(at: Date): Promise<MaintenanceCheck>;
  /** Whether a cause is that of a unit that fails on its own. */
  isOfUnit(code: string): boolean;
}

export type Records = ReturnType<typeof createRecords>;

/** Makes and changes the records of incidents. */
export function createRecords(rows: IncidentStore, { clock, events, isInMaintenance, isOfUnit }: RecordsDeps) {
  const entry = (incidentId: string, kind: Entry['kind'], more: Partial<Entry> = {}): Entry => ({
    incidentId,
    at: clock.now(),
    kind,
    tenantId: null,
    username: null,
    text: null,
    diagnosis: null,
    ...more,
  });
  return {
    entry,

    publish: ({ id, status }: Pick<Incident, 'id' | 'status'>): void =>
      events.publish({ type: 'incident', tenant_id: null, incident_id: id, status }),

    /** A new incident, which is not stored yet. @param tenantId null: the manager found it */
    async create(cause: Cause, tenantId: string | null, more: Partial<Incident> = {}): Promise<Incident> {
      const openedAt = clock.now();
      const isCovered = await isInMaintenance(openedAt);
      return { ...openedFor(cause, openedAt), inMaintenance: isCovered(tenantId), ...more };
    },

    /** A tenant's resolved incident that returns with this cause. */
    async former(cause: Cause, tenantId: string): Promise<Incident | undefined> {
      const recent = await rows.resolvedSince(tenantId, new Date(clock.now().getTime() - returnsWithinMs));
      return recent.find(({ causeCode: code, scopeKind: kind, scopeName: name }) => {
        return familyOf({ code, scope: { kind, name } }, isOfUnit) === familyOf(cause, isOfUnit);
      });
    },

    /** Who acknowledged it has not heard of its end, unless that was announced. */
    async reopen({ id, closed, reopened, severity, acknowledgedAt }: Incident, cause: Cause, within: Transaction) {
      const found = severityOf(cause, 1);
      await rows.update(
        id,
        {
          ...shownOf(cause),
          severity: isWorse(found, severity) ? found : severity,
          status: acknowledgedAt && !closed ? 'acknowledged' : 'open',
          resolvedAt: null,
          reopened: reopened + 1,
          closed: false,
          ...(closed ? { notifiedAt: null, acknowledgedAt: null, acknowledgedBy: null } : {}),
        },
        within,
      );
    },

    /** An incident never becomes less severe for another finding of its cause. */
    async raise({ id, severity }: Incident, found: Severity, within?: Transaction): Promise<void> {
      if (isWorse(found, severity)) await rows.update(id, { severity: found }, within);
    },

    async resolve(incident: Incident, more: { closed: boolean }, within: Transaction): Promise<void> {
      const resolvedAt = clock.now();
      await rows.update(incident.id, { status: 'resolved', resolvedAt, openKey: null, ...more }, within);
      const text = `after ${durationText(resolvedAt.getTime() - incident.openedAt.getTime())}`;
      await rows.addEntry(entry(incident.id, 'resolved', { text }), within);
    },
  };
}
