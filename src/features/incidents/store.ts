import { Op, type WhereOptions } from 'sequelize';
import { type Range, rangeCondition, rangeValues } from '../../adapters/store/newest.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import {
  counter,
  defineTable,
  flag,
  id,
  instant,
  integer,
  json,
  key,
  orNull,
  ownedBy,
  parseRow,
  type RowOf,
  tableIn,
  text,
  unique,
  withDefault,
} from '../../adapters/store/table.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import type { Cause as DiagnosedCause } from '../diagnosis/diagnosis.ts';
import type { Severity } from '../notifications/alert.ts';
import { undiagnosedCodes } from './cause.ts';
import type { EntryKind, Incident, IncidentStatus, LeaveReason, Member } from './incident.ts';

const incidentColumns = {
  id: key(id),
  openKey: unique(orNull(text(255))),
  severity: text<Severity>(40),
  title: text(),
  detail: orNull(text()),
  remedy: orNull(text()),
  causeCode: text(255),
  causeParams: orNull(json<Record<string, string>>()),
  scopeKind: text(40),
  scopeName: text(255),
  status: text<IncidentStatus>(40),
  foundByManager: text<Incident['foundByManager']>(40),
  inMaintenance: flag,
  openedAt: instant,
  acknowledgedBy: orNull(text(255)),
  acknowledgedAt: orNull(instant),
  resolvedAt: orNull(instant),
  announced: integer,
  reminders: integer,
  reopened: withDefault(0, integer),
  announcedReturns: withDefault(0, integer),
  notifiedAt: orNull(instant),
  announcedSeverity: orNull(text<Severity>(40)),
  closed: flag,
};
export const incidentsTable = defineTable('incidents', incidentColumns, {
  indexes: [
    ['closed', 'openedAt'],
    ['status', 'openedAt'],
  ],
});

const memberColumns = {
  incidentId: key(ownedBy('incidents')),
  tenantId: key(id),
  slug: text(40),
  name: text(255),
  joinedAt: instant,
  leftAt: orNull(instant),
  leftReason: orNull(text<LeaveReason>(40)),
  batch: orNull(integer),
};
export const incidentTenantsTable = defineTable('incident_tenants', memberColumns, {
  indexes: [['tenantId', 'leftAt']],
});

const entryColumns = {
  seq: counter,
  incidentId: ownedBy('incidents'),
  at: instant,
  kind: text<EntryKind>(40),
  tenantId: orNull(id),
  username: orNull(text(255)),
  text: orNull(text()),
  /** What the diagnosis found then. */
  diagnosis: orNull(json<DiagnosedCause>()),
};
export const incidentEntriesTable = defineTable('incident_entries', entryColumns, {
  indexes: [['incidentId', 'seq'], ['at']],
});
/** A line of an incident's timeline. */
export type Entry = Omit<RowOf<typeof entryColumns>, 'seq'>;

const { seq, incidentId, at, kind, tenantId, username, text: entryText } = entryColumns;
const { title, severity, scopeKind } = incidentColumns;
const { name } = memberColumns;
const changeColumns = {
  ...{ seq, incidentId, at, kind, tenantId, username, text: entryText, title, severity, scopeKind },
  name: orNull(name),
};
/** A line of an incident’s timeline with its incident, and the name of the tenant that it is about. */
export type IncidentChange = RowOf<typeof changeColumns>;

export interface ChangesAsked extends Range {
  scopes: readonly string[];
  tenantId?: string | undefined;
}

/** All tenants together may be many, so what happens to one of an incident’s tenants is in its own timeline. */
const changesOfAll: EntryKind[] = ['opened', 'reopened', 'diagnosis_changed', 'acknowledged', 'resolved'];
const changesOfTenant: EntryKind[] = [...changesOfAll, 'joined', 'recovered', 'left'];

const changes = (asked: ChangesAsked): string => `
  SELECT entry.seq, entry.incident_id AS incidentId, entry.at, entry.kind, entry.tenant_id AS tenantId, entry.username,
    entry.text, incident.title, incident.severity, incident.scope_kind AS scopeKind, member.name
  FROM incident_entries AS entry JOIN incidents AS incident ON incident.id = entry.incident_id
  LEFT JOIN incident_tenants AS member ON member.incident_id = entry.incident_id AND member.tenant_id = entry.tenant_id
  WHERE entry.kind IN (:kinds) AND incident.scope_kind IN (:scopes) AND ${rangeCondition('entry.at', 'entry.seq', asked)}${
    asked.tenantId === undefined
      ? ''
      : ` AND entry.incident_id IN (SELECT incident_id FROM incident_tenants WHERE tenant_id = :tenantId)
          AND (entry.tenant_id = :tenantId OR entry.tenant_id IS NULL)`
  } ORDER BY entry.at DESC, entry.seq DESC LIMIT :limit`;

const knownCauses = `
  SELECT member.tenant_id AS tenantId, incident.cause_code AS code
  FROM incidents AS incident JOIN incident_tenants AS member ON member.incident_id = incident.id
  WHERE incident.open_key IS NOT NULL AND member.left_at IS NULL AND incident.cause_code NOT IN (:undiagnosed)`;

export interface IncidentFilter {
  status?: IncidentStatus | 'unresolved' | undefined;
  tenantId?: string | undefined;
  /** Kinds of scopes. */
  scopes?: readonly string[] | undefined;
}

export type IncidentStore = ReturnType<typeof createIncidentStore>;

/** Incidents with their tenants and timelines. */
export function createIncidentStore(store: Store) {
  const incidents = tableIn(store, incidentsTable);
  const members = tableIn(store, incidentTenantsTable);
  const entries = tableIn(store, incidentEntriesTable);

  const conditionsOf = async ({ status, tenantId, scopes }: IncidentFilter): Promise<WhereOptions<Incident>> => ({
    ...(status === undefined ? {} : { status: status === 'unresolved' ? { [Op.ne]: 'resolved' as const } : status }),
    ...(scopes === undefined ? {} : { scopeKind: [...scopes] }),
    ...(tenantId === undefined
      ? {}
      : { id: (await members.all({ where: { tenantId }, only: ['incidentId'] })).map((row) => row.incidentId) }),
  });

  return {
    transaction: store.transaction,
    find: (id: string): Promise<Incident | undefined> => incidents.find({ id }),
    findOpen: (openKey: string): Promise<Incident | undefined> => incidents.find({ openKey }),
    /** Those of a tenant that were resolved since a time and not left for another one, the latest first. */
    async resolvedSince(tenantId: string, since: Date): Promise<Incident[]> {
      const left = { tenantId, leftAt: { [Op.gte]: since }, leftReason: { [Op.ne]: 'moved' as const } };
      const ids = (await members.all({ where: left, only: ['incidentId'] })).map((row) => row.incidentId);
      return incidents.all({ where: { id: ids, resolvedAt: { [Op.gte]: since } }, order: [['resolvedAt', 'DESC']] });
    },
    /** Those that may have something to announce. */
    unclosed: (): Promise<Incident[]> => incidents.all({ where: { closed: false }, order: [['openedAt', 'ASC']] }),
    unresolved: (): Promise<Incident[]> => incidents.all({ where: { status: { [Op.ne]: 'resolved' } } }),
    countUnresolved: (): Promise<number> => incidents.count({ status: { [Op.ne]: 'resolved' } }),
    /** Newest first. */
    list: async (filter: IncidentFilter, paging: Paging): Promise<Page<Incident>> =>
      incidents.page(await conditionsOf(filter), paging, [
        ['openedAt', 'DESC'],
        ['id', 'DESC'],
      ]),
    insert: (incident: Incident, within: Transaction): Promise<void> => incidents.insert(incident, within),
    async update(id: string, changes: Partial<Incident>, within?: Transaction): Promise<void> {
      await incidents.update(changes, { id }, within);
    },

    /** In the order in which they joined. */
    members: (incidentIds: readonly string[], within?: Transaction): Promise<Member[]> =>
      members.all({
        where: { incidentId: [...incidentIds] },
        order: [
          ['joinedAt', 'ASC'],
          ['slug', 'ASC'],
        ],
        ...(within ? { transaction: within } : {}),
      }),
    /** The tenants that incidents affect now. */
    affected: (): Promise<Member[]> => members.all({ where: { leftAt: null } }),
    /** The code of the cause of each tenant that an open incident affects, by the tenant's id. */
    async knownCauses(): Promise<ReadonlyMap<string, string>> {
      const undiagnosed = [...undiagnosedCodes];
      const rows = await store.select<{ tenantId: string; code: string }>(knownCauses, { undiagnosed });
      return new Map(rows.map(({ tenantId, code }) => [tenantId, code]));
    },
    saveMember: (member: Member, within: Transaction): Promise<void> => members.upsert(member, within),
    async updateMembers(
      incidentId: string,
      tenantIds: readonly string[],
      changes: Partial<Member>,
      within?: Transaction,
    ): Promise<void> {
      for (let start = 0; start < tenantIds.length; start += 500)
        await members.update(changes, { incidentId, tenantId: tenantIds.slice(start, start + 500) }, within);
    },

    /** Oldest first. */
    entries: (incidentId: string): Promise<Entry[]> => entries.all({ where: { incidentId }, order: [['seq', 'ASC']] }),
    /** What happened to incidents with some scopes, of a tenant or of all, newest first. */
    async changes(asked: ChangesAsked): Promise<IncidentChange[]> {
      if (asked.scopes.length === 0) return [];
      const { scopes, tenantId } = asked;
      const kinds = tenantId === undefined ? changesOfAll : changesOfTenant;
      const rows = await store.select(changes(asked), { ...rangeValues(asked), kinds, scopes: [...scopes], tenantId });
      return rows.map((row) => parseRow(changeColumns, row));
    },
    addEntry: (entry: Entry, within?: Transaction): Promise<void> => entries.insert(entry, within),

    async removeResolvedBefore(date: Date): Promise<void> {
      await incidents.remove({ resolvedAt: { [Op.lt]: date } });
    },
  };
}
