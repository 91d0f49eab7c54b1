import type { Clock } from '../../lib/clock.ts';
import { durationText } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Alert, AlertEvent, Notify } from '../notifications/alert.ts';
import type { Tenants } from '../tenants/tenants.ts';
import type { Incident, Member } from './incident.ts';
import type { MaintenanceCheck } from './maintenance/window.ts';
import { type NextAlert, nextAlert } from './next-alert.ts';
import type { IncidentStore } from './store.ts';

export interface AnnouncerDeps {
  clock: Clock;
  logger: Logger;
  notify: Notify;
  tenants: Pick<Tenants, 'find'>;
  /** 0: no reminders. */
  reminderMinutes(): Promise<number>;
  isInMaintenance(at: Date): Promise<MaintenanceCheck>;
  /** How long an incident that several tenants may join waits for the next one, in ms. */
  groupingMs: number;
}

/** An alert names this many tenants; more are counted. */
const maxNamed = 50;

const eventOf = (scopeKind: string): AlertEvent =>
  scopeKind === 'disk' || scopeKind === 'node' ? scopeKind : 'incident';

/**
 * Announces what changed about incidents. An alert is handed over before it is recorded: after a crash in between it is handed
 * over again with the same key.
 * @returns a function to call from time to time
 */
export function createAnnouncer(rows: IncidentStore, deps: AnnouncerDeps) {
  const { clock, logger, notify } = deps;

  async function announce(incident: Incident, members: readonly Member[], next: NextAlert): Promise<boolean> {
    const { id } = incident;
    const now = clock.now();
    const affected = members.filter(({ leftAt }) => leftAt === null);
    const entry = (text: string) => ({ incidentId: id, at: now, kind: 'notified' as const, text, ...noOne });
    const send = async (what: string, title: string, about: readonly Member[], severity = incident.severity) =>
      notify({
        event: eventOf(incident.scopeKind),
        severity,
        key: `incident/${id}/${what}`,
        title,
        text: textOf(incident, about, now),
        link: `/incidents/${id}`,
        tenants: await tenantsOf(about),
        at: now,
      });
    switch (next.kind) {
      case 'none':
        return false;
      case 'close':
        await rows.update(id, { closed: true });
        return false;
      case 'announce': {
        // Stored first: an interrupted announcement is repeated for the same tenants.
        await rows.updateMembers(id, next.tenantIds, { batch: next.batch });
        const named = members.filter(({ tenantId }) => next.tenantIds.includes(tenantId));
        const isFirst = next.batch === 1;
        const title = isFirst ? titleOf(incident, named) : `${counted(named)} also affected: ${incident.title}`;
        await send(isFirst ? 'opened' : `joined/${next.batch}`, title, named);
        await rows.transaction(async (within) => {
          const announcedSeverity = incident.severity;
          await rows.update(id, { announced: next.batch, notifiedAt: now, announcedSeverity }, within);
          await rows.addEntry(entry(isFirst ? 'opened' : 'joined'), within);
        });
        return true;
      }
      case 'escalate': {
        const { severity } = incident;
        await send(`escalated/${severity}`, `Now ${severity}: ${titleOf(incident, affected)}`, affected);
        await rows.transaction(async (within) => {
          await rows.update(id, { announcedSeverity: severity, notifiedAt: now }, within);
          await rows.addEntry(entry('escalated'), within);
        });
        return true;
      }
      case 'remind': {
        const since = durationText(now.getTime() - incident.openedAt.getTime());
        await send(`reminder/${next.count}`, `Still open after ${since}: ${titleOf(incident, affected)}`, affected);
        await rows.transaction(async (within) => {
          await rows.update(id, { reminders: next.count, notifiedAt: now }, within);
          await rows.addEntry(entry('reminder'), within);
        });
        return true;
      }
      case 'flap': {
        await send(
          `flapping/${next.count}`,
          `Failed ${next.count + 1} times: ${titleOf(incident, affected)}`,
          affected,
        );
        await rows.transaction(async (within) => {
          await rows.update(id, { announcedReturns: next.count, notifiedAt: now }, within);
          await rows.addEntry(entry('flapping'), within);
        });
        return true;
      }
      case 'resolve': {
        const lasted = durationText((incident.resolvedAt ?? now).getTime() - incident.openedAt.getTime());
        await send('resolved', `Recovered after ${lasted}: ${titleOf(incident, members)}`, members, 'info');
        await rows.transaction(async (within) => {
          await rows.update(id, { closed: true, notifiedAt: now }, within);
          await rows.addEntry(entry('resolved'), within);
        });
        return true;
      }
      default:
        return next satisfies never;
    }
  }

  /** Deleted tenants are left out. */
  async function tenantsOf(members: readonly Member[]): Promise<Alert['tenants']> {
    const found = await Promise.all(members.map(({ tenantId }) => deps.tenants.find(tenantId)));
    return found.flatMap((tenant) =>
      tenant ? [{ id: tenant.id, slug: tenant.slug, name: tenant.name, tags: tenant.tags }] : [],
    );
  }

  /** @returns the incidents about which something was sent */
  return async (): Promise<Incident[]> => {
    const incidents = await rows.unclosed();
    if (incidents.length === 0) return [];
    const now = clock.now();
    const rules = {
      now,
      reminderMs: (await deps.reminderMinutes()) * 60_000,
      groupingMs: deps.groupingMs,
      isInMaintenance: await deps.isInMaintenance(now),
    };
    const sent: Incident[] = [];
    for (const incident of incidents) {
      try {
        const members = await rows.members([incident.id]);
        if (await announce(incident, members, nextAlert(incident, members, rules))) sent.push(incident);
      } catch (error) {
        // The next run tries again.
        logger.error({ incident: incident.id, message: messageOf(error) }, 'an incident could not be announced');
      }
    }
    return sent;
  };
}

const noOne = { tenantId: null, username: null, diagnosis: null } as const;

const counted = (members: readonly Member[]): string =>
  members.length === 1 ? (members[0]?.name ?? '1 tenant') : `${members.length} tenants`;

const titleOf = ({ title }: Incident, members: readonly Member[]): string =>
  members.length === 0 ? title : `${counted(members)}: ${title}`;

/** Without the detail, which is for operators. */
function textOf(incident: Incident, members: readonly Member[], now: Date): string {
  const { remedy, openedAt, resolvedAt, scopeKind, scopeName, title } = incident;
  const names = members.slice(0, maxNamed).map(({ name }) => name);
  const named = names.join(', ');
  const more = members.length - names.length;
  return [
    title + (scopeKind === 'tenant' ? '' : ` (${scopeKind.replaceAll('_', ' ')}: ${scopeName})`),
    `Since ${openedAt.toISOString()}, ${durationText((resolvedAt ?? now).getTime() - openedAt.getTime())}`,
    ...(names.length > 0 ? [more > 0 ? `Tenants: ${named} and ${more} more` : `Tenants: ${named}`] : []),
    ...(remedy && !resolvedAt ? [`What to do: ${remedy}`] : []),
  ].join('\n');
}
