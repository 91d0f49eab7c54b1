import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { Store } from '../../../adapters/store/store.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { OperationError, OperationSummary } from '../../../lib/operations/operation.ts';
import { type Alert, type AlertEvent, isOnlyAbout, type Notify } from '../../notifications/alert.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import type { MaintenanceCheck } from '../maintenance/window.ts';
import { alertOfEnd, alertsOfConditions, type ConditionDeps, isLasting } from './conditions.ts';
import { alertOfEntry, alertOfSignIn, entryOfNewPlace, fleetOf, type LogEntry, signInOf } from './log-entries.ts';
import { createAlertSourceStore } from './store.ts';

interface NumberedEntry extends LogEntry {
  seq: number;
  tenantId: string | null;
}

export interface AlertSourcesDeps extends ConditionDeps {
  store: Store;
  logger: Logger;
  notify: Notify;
  writeAuditLog: WriteAuditLog;
  tenants: Pick<Tenants, 'find' | 'each'>;
  /** The step in which a drill fails that found differences. */
  drillVerdict: string;
  /** Operations on tenants that ended since, oldest first. */
  endedSince(date: Date, limit: number): Promise<OperationSummary[]>;
  /** Which of these operations belong to fleet upgrades. */
  ofFleets(operationIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** The tenants of a fleet upgrade that it upgraded or was to. */
  tenantsOfFleet(fleetId: string): Promise<string[]>;
  isInMaintenance(at: Date): Promise<MaintenanceCheck>;
  /** The audit log's entries after a number, oldest first. */
  entriesAfter(seq: number, limit: number): Promise<NumberedEntry[]>;
  lastEntry(): Promise<number>;
  /** The last alert whose key begins so; undefined: none. */
  lastAlert(prefix: string): Promise<{ key: string; at: Date } | undefined>;
  /** What is collected of alerts whose keys begin so is not sent. */
  withdraw(prefix: string): Promise<void>;
  /** 0: no reminders. */
  reminderMinutes(): Promise<number>;
  /** The availability report of a month as text. @param month `2026-11`, in UTC */
  reportText(month: string): Promise<string>;
}

export interface AlertSources {
  /** The first time, what happened before is not reported. Call it before the first event. */
  open(): Promise<void>;
  /** Reports what ended since the last run, also before a restart: operations, other events, and a month. */
  reportEvents(): Promise<void>;
  /** Reports states that last, and again as often as the setting says while they last, at most once a day. */
  reportConditions(): Promise<void>;
}

/** Names of the cursors. */
const [operations, logEntries, reports] = ['operations', 'audit log', 'monthly report'];
const pageSize = 200;
/** Operations are saved a moment after their end, on a loaded database later. */
const overlapMs = 5 * 60_000;
/** Entries become visible out of order within this time. */
const settlingMs = 1_000;

/**
 * Turns events of other features into alerts. It reads what they stored, from a position that it stores after each page: a crash
 * repeats at most a page, with the same keys, and loses nothing.
 */
export function createAlertSources(deps: AlertSourcesDeps): AlertSources {
  const { clock, logger, notify } = deps;
  const rows = createAlertSourceStore(deps.store);
  /** The operations that the last run read: the overlap. */
  let reported = new Set<string>();
  /** The conditions of the last run, with their last alert. */
  let lasting = new Map<string, LastAlert>();

  async function subjectOf(tenantId: string | null): Promise<Alert['tenants'][number] | undefined> {
    const tenant = tenantId === null ? undefined : await deps.tenants.find(tenantId);
    return tenant && { id: tenant.id, slug: tenant.slug, name: tenant.name, tags: tenant.tags };
  }

  async function reportOperations(): Promise<void> {
    const position = await rows.cursor(operations);
    if (position === undefined) return;
    const read = new Set<string>();
    for (let from = new Date(Date.parse(position) - overlapMs); ; ) {
      const ended = await deps.endedSince(from, pageSize);
      const unreported = ended.filter(({ id }) => !reported.has(id) && !read.has(id));
      const ofFleets = await deps.ofFleets(unreported.map(({ id }) => id));
      const alerts: Alert[] = [];
      for (const operation of unreported) {
        const tenant = await subjectOf(operation.subject);
        // The audit log's entry about it has the differences.
        if (operation.kind === 'drill' && operation.error?.step === deps.drillVerdict) continue;
        const alert = tenant && alertOfOperation(operation, tenant, ofFleets.has(operation.id));
        if (alert) alerts.push(alert);
      }
      await notify(...alerts);
      for (const { id } of ended) read.add(id);
      const last = ended.at(-1)?.finishedAt;
      if (last && last.getTime() > Date.parse(position)) await rows.saveCursor(operations, last.toISOString());
      if (!last || ended.length < pageSize || last <= from) break;
      from = last;
    }
    reported = read;
  }

  async function reportEntries(): Promise<void> {
    const position = await rows.cursor(logEntries);
    if (position === undefined) return;
    for (let after = Number(position); ; ) {
      const page = await deps.entriesAfter(after, pageSize);
      const latest = clock.now().getTime() - settlingMs;
      const settled = page.findIndex(({ createdAt }) => createdAt.getTime() > latest);
      const entries = settled < 0 ? page : page.slice(0, settled);
      for (const entry of entries) await reportEntry(entry);
      const last = entries.at(-1)?.seq;
      if (last === undefined) return;
      after = last;
      await rows.saveCursor(logEntries, String(after));
      if (entries.length < pageSize) return;
    }
  }

  async function reportEntry(entry: NumberedEntry): Promise<void> {
    const signIn = signInOf(entry);
    if (signIn) {
      const isNew = await rows.newPlaces(signIn.userId, signIn.places);
      if (isNew.length > 0) {
        await notify(alertOfSignIn(entry, signIn, isNew));
        await deps.writeAuditLog(entryOfNewPlace(signIn, isNew));
      }
      // The user may have been deleted since.
      await rows.savePlaces(signIn.userId, signIn.places, entry.createdAt).catch((error: unknown) => {
        logger.debug({ message: messageOf(error) }, 'a sign-in was not remembered');
      });
      return;
    }
    const fleetId = fleetOf(entry);
    const subjects: Alert['tenants'][number][] = [];
    for (const id of fleetId === undefined ? [entry.tenantId] : await deps.tenantsOfFleet(fleetId)) {
      const subject = await subjectOf(id);
      if (subject) subjects.push(subject);
    }
    const alert = alertOfEntry(entry, subjects);
    if (alert) await notify(alert);
  }

  /** Once a month, also after a restart and by a standby; a manager that did not run on the 1st does it later. */
  async function reportMonth(): Promise<void> {
    const at = clock.now();
    const month = monthBefore(at);
    const position = await rows.cursor(reports);
    if (position === undefined || position >= month) return;
    await notify({
      event: 'report',
      severity: 'info',
      key: `report/${month}`,
      title: `Monthly report: availability in ${month}`,
      text: await deps.reportText(month),
      link: `/reports/availability/${month}`,
      tenants: [],
      at,
    });
    await rows.saveCursor(reports, month);
  }

  async function lastAlertOf(alert: Alert): Promise<LastAlert | undefined> {
    const last = await deps.lastAlert(alert.key);
    return last && { at: last.at, reminders: Number(last.key.split('/reminder/')[1] ?? 0), alert };
  }

  return {
    async open() {
      if ((await rows.cursor(reports)) === undefined) await rows.saveCursor(reports, monthBefore(clock.now()));
      if ((await rows.cursor(operations)) === undefined) await rows.saveCursor(operations, clock.now().toISOString());
      if ((await rows.cursor(logEntries)) === undefined)
        await rows.saveCursor(logEntries, String(await deps.lastEntry()));
    },
    async reportEvents() {
      // One that fails again and again must not silence the others.
      const failed = (await Promise.allSettled([reportOperations(), reportEntries(), reportMonth()])).find(isRejected);
      if (failed) throw failed.reason;
    },
    async reportConditions() {
      const now = clock.now();
      const isInMaintenance = await deps.isInMaintenance(now);
      const minutes = await deps.reminderMinutes();
      const reminderMs = minutes === 0 ? 0 : Math.max(minutes * 60_000, shortestReminderMs);
      const present = await alertsOfConditions(deps);
      // What lasts longer than a maintenance window is reported after it.
      const alerts = present.filter((alert) => !isOnlyAbout(alert, isInMaintenance));
      const due: Alert[] = [];
      const lastAlerts = new Map<string, LastAlert>();
      for (const alert of alerts) {
        const last = lasting.get(alert.key) ?? (await lastAlertOf(alert));
        const next = nextOf(alert, last, reminderMs);
        if (next) due.push(next);
        const reminders = last ? last.reminders + 1 : 0;
        lastAlerts.set(alert.key, last && !next ? { ...last, alert } : { at: now, reminders, alert });
      }
      const over: LastAlert[] = [];
      for (const [key, last] of lasting) {
        if (lastAlerts.has(key)) continue;
        const lasts = present.some((alert) => alert.key === key) || isLasting(last.alert, deps);
        if (lasts) lastAlerts.set(key, last);
        else over.push(last);
      }
      if (over.length > 0) {
        const tenants = new Set<string>();
        for await (const { id } of deps.tenants.each()) tenants.add(id);
        due.push(...over.flatMap(({ alert }) => alertOfEnd(alert, tenants, now) ?? []));
      }
      await notify(...due);
      for (const { alert, reminders } of over) if (reminders > 0) await deps.withdraw(`${alert.key}/reminder/`);
      lasting = lastAlerts;
    },
  };
}

/** These states last for days and do not interrupt the service: more than one message a day would only be noise. */
const shortestReminderMs = 86_400_000;

interface LastAlert {
  at: Date;
  /** How many reminders there were. */
  reminders: number;
  /** As it was found last. */
  alert: Alert;
}

/** What is due about a condition after its last alert: the first alert, a reminder or nothing. A new version is no fault. */
function nextOf(alert: Alert, last: LastAlert | undefined, reminderMs: number): Alert | undefined {
  if (!last) return alert;
  const isOverdue = reminderMs > 0 && alert.at.getTime() - last.at.getTime() >= reminderMs;
  if (!isOverdue || alert.event === 'update') return undefined;
  return { ...alert, key: `${alert.key}/reminder/${last.reminders + 1}`, title: `Reminder: ${alert.title}` };
}

/** The month before the one of this moment, in UTC: `2026-11`. */
const monthBefore = (at: Date): string =>
  new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - 1, 1)).toISOString().slice(0, 7);

const isRejected = (result: PromiseSettledResult<void>): result is PromiseRejectedResult =>
  result.status === 'rejected';

/** Operations that are reported, by kind. Successes of frequent ones are not news. */
const reported: Readonly<Record<string, { event: AlertEvent; name: string; success: boolean }>> = {
  deploy: { event: 'deployment', name: 'Deployment', success: true },
  upgrade: { event: 'upgrade', name: 'Upgrade', success: true },
  move: { event: 'deployment', name: 'Move to another runtime', success: true },
  restore: { event: 'backup', name: 'Restore', success: true },
  backup: { event: 'backup', name: 'Backup', success: false },
  drill: { event: 'drill', name: 'Restore drill', success: false },
};

/**
 * The alert about an operation that ended; undefined: none. Retries of a failed backup are one alert a day.
 * @param isOfFleet part of a fleet upgrade, which reports its own end
 */
function alertOfOperation(
  { id, kind, status, error, finishedAt, createdAt }: OperationSummary,
  tenant: Alert['tenants'][number],
  isOfFleet: boolean,
): Alert | undefined {
  const rule = reported[kind];
  if (!rule || (status !== 'failed' && !(status === 'success' && rule.success && !isOfFleet))) return undefined;
  const at = finishedAt ?? createdAt;
  const failed = status === 'failed';
  const isBackup = kind === 'backup';
  return {
    event: rule.event,
    severity: failed ? 'error' : 'info',
    key: isBackup ? `backup/${tenant.id}/failed/${at.toISOString().slice(0, 10)}` : `operation/${id}/${status}`,
    title: `${tenant.name}: ${rule.name} ${failed ? 'failed' : 'succeeded'}`,
    text: failed && error ? `${error.step}: ${error.message}` : `${rule.name} of ${tenant.slug} has ended.`,
    link: isBackup ? `/tenants/${tenant.id}/backups` : `/tenants/${tenant.id}/deployments/${id}`,
    tenants: [tenant],
    at,
    ...(failed && error ? { cause: `${kind}/${error.step}/${causeOf(error, tenant)}` } : {}),
  };
}

/** Names of databases and users; ids, addresses, ports, times and other large numbers. Small ones are exit codes and HTTP statuses. */
const ofOneTenant = /\b(?:tenantry_\w+|[0-9a-f]{8,}(?:-[0-9a-f]{4,})*|\d+(?:\.\d+){3}|[1-9]\d{3,}|pid \d+|\d+ s)\b/g;

/** Why an operation failed, alike for all tenants. */
const causeOf = ({ cause, message }: OperationError, { slug }: Alert['tenants'][number]): string =>
  `${cause?.code ?? ''} ${message.replaceAll(slug, '').replaceAll(ofOneTenant, '')}`;
