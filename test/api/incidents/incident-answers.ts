import { setTimeout as sleep } from 'node:timers/promises';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import type { Cause } from '../../../src/features/diagnosis/diagnosis.ts';
import { createIncidentStore } from '../../../src/features/incidents/store.ts';
import { minGapMs } from '../../../src/features/incidents/streaks.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import type { App } from '../../harness/app/app.ts';
import { until } from '../../harness/data/tenants.ts';

export interface IncidentAnswer {
  id: string;
  status: string;
  severity: string;
  title: string;
  cause: { code: string; scope: { kind: string; name: string } };
  detail: string | null;
  acknowledged_by: string | null;
  in_maintenance: boolean;
  tenant_count: number;
  affected_count: number;
  tenants: { id: string; slug: string; name: string; left_at: string | null; left_reason: string | null }[];
  timeline: { kind: string; text: string | null; username: string | null; diagnosis: Cause | null }[];
  announcements: { what: string; recipients: { users: string[]; deliveries: { channel: string }[] } | null }[];
}

export interface IncidentListAnswer {
  incidents: IncidentAnswer[];
  total: number;
  open_count: number;
}

export const kindsOf = ({ timeline }: IncidentAnswer): string[] => timeline.map(({ kind }) => kind);

export interface InboxEntry {
  key: string;
  event: string;
  severity: string;
  title: string;
  text: string;
  link: string;
  tenants: { slug: string }[];
}

/** The inbox of a user, by default of the administrator. */
export async function inboxOf({ call }: Pick<App, 'call'>, token?: string): Promise<InboxEntry[]> {
  const { body } = await call<{ entries: InboxEntry[] }>('GET', '/api/inbox?limit=100', token ? { token } : {});
  return body.entries;
}

/** The administrator's alerts of an event, once there are any: schedules look for them. */
export const alertsAbout = (app: Pick<App, 'call'>, event: string): Promise<InboxEntry[]> =>
  until(
    async () => (await inboxOf(app)).filter((entry) => entry.event === event),
    ({ length }) => length > 0,
  );

/** What was announced about an incident: `opened`, `reminder/1`, … */
export async function alertKeys(app: Pick<App, 'call'>, id: string): Promise<string[]> {
  const about = `incident/${id}/`;
  return (await inboxOf(app)).filter(({ key }) => key.startsWith(about)).map(({ key }) => key.slice(about.length));
}

/** Makes the end of an incident one of hours ago, so that the next failure of its tenant is another one. */
export async function endedLongAgo(databaseUrl: string, id: string): Promise<void> {
  const store = await openManagerStore(databaseUrl, createLogger({ level: 'silent' }));
  const rows = createIncidentStore(store);
  const resolvedAt = (await rows.find(id))?.resolvedAt ?? new Date();
  await rows.update(id, { resolvedAt: new Date(resolvedAt.getTime() - 2 * 3_600_000) });
  await store.close();
}

/** Two checks, far enough apart that each counts for an incident. */
export async function checkApart(check: () => Promise<unknown>): Promise<void> {
  await check();
  await sleep(minGapMs + 200);
  await check();
}
