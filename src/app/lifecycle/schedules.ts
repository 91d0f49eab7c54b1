import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { App } from '../composition/app.ts';
import type { Alarms } from '../composition/monitoring/incidents.ts';
import type { System } from '../composition/monitoring/system.ts';

interface Schedule {
  name: string;
  /** Seconds from the end of one run to the start of the next, read again each time. */
  everySeconds(): Promise<number>;
  /** Calls the listener when the pause was changed, also in the middle of one; answers a function that ends it. */
  onPauseChange?(listener: () => void): () => void;
  run(signal: AbortSignal): Promise<unknown>;
}

/** A pause varies by this share, so that managers started together don't stay together. */
const jitter = 0.1;

const day = 86_400_000;
/** Days that entries of inboxes are kept. */
const inboxRetention = 90;

/** Incidents are kept longer than the audit log: reports look back a year. Days. */
const incidentRetentionDays = 400;

interface Chores extends Alarms, Pick<System, 'unseenFaults'> {
  /** Removes the streams of operations whose record was deleted. */
  removeOrphanedStreams(): Promise<void>;
  /** Keeps room for what makes room on a full disk. */
  fillReserve(): Promise<void>;
  /** The longest pause of what looks for alerts to send (tests). */
  alertSeconds?: number | undefined;
}

/** All recurring work of the manager. */
export function housekeeping(
  app: App,
  { incidents, alertSources, unseenFaults, removeOrphanedStreams, fillReserve, alertSeconds = 10 }: Chores,
): Schedule[] {
  const { backups, deployments, fleets, health, history, auditLog, notifications, sites, settings, upgrades } = app;
  const { outbox } = notifications;
  return [
    {
      name: 'health sweep',
      everySeconds: () => settings.read('health_check_interval'),
      onPauseChange: (listener) => settings.onChange((key) => key === 'health_check_interval' && listener()),
      run: () => health.runSweep(),
    },
    // Each run looks for due tenants; their interval is a setting.
    {
      name: 'synthetic checks',
      everySeconds: async () => 30,
      run: (signal) => app.syntheticChecks.runDue('well', signal),
    },
    {
      name: 'synthetic checks of tenants in trouble',
      everySeconds: async () => 30,
      run: (signal) => app.syntheticChecks.runDue('troubled', signal),
    },
    {
      name: 'faults of healthy tenants',
      // Sooner after the start: until then, what was reported before it is missing on Home.
      everySeconds: async () => (unseenFaults.hasRun() ? 900 : 300),
      run: (signal) => unseenFaults.run(signal),
    },
    { name: 'history of health checks', everySeconds: async () => 300, run: () => health.saveHistory() },
    { name: 'measurements', everySeconds: async () => 60, run: () => history.save() },
    { name: 'usage of services', everySeconds: async () => 60, run: (signal) => history.measureUsage(signal) },
    { name: 'usage of directories', everySeconds: async () => 600, run: (signal) => history.measureDisk(signal) },
    { name: 'usage of nodes', everySeconds: async () => 60, run: () => history.measureNodes() },
    { name: 'usage of the manager', everySeconds: async () => 10, run: async () => history.measureManager() },
    {
      name: 'changes left unfinished',
      everySeconds: async () => 60,
      run: () => app.rollBackInterrupted(),
    },
    {
      // Each run looks for due work; most find none.
      name: 'certificates',
      everySeconds: async () => 600,
      run: (signal) => sites.renew(signal),
    },
    {
      name: 'new versions',
      // Soon after the start: until then, no update is known.
      everySeconds: async () => (upgrades.updates.hasRun() ? 900 : 10),
      run: (signal) => upgrades.updates.run(signal),
    },
    { name: 'drift of the proxy', everySeconds: async () => 300, run: () => sites.checkDrift() },
    {
      name: 'release garbage',
      everySeconds: async () => 3_600,
      async run() {
        await deployments.collectGarbage();
        await deployments.collectMirrors();
      },
    },
    {
      name: 'retention',
      everySeconds: async () => 6 * 3_600,
      async run() {
        const before = new Date(Date.now() - (await settings.read('log_retention_days')) * day);
        await auditLog.removeOlderThan(before);
        await deployments.removeEndedBefore(before);
        await fleets.removeEndedBefore(before);
        await app.services.bulk.removeEndedBefore(before);
        await outbox.removeEndedBefore(before);
      },
    },
    // What is announced waits at most this long.
    {
      name: 'announcements of incidents',
      everySeconds: async () => Math.min(5, alertSeconds),
      run: () => incidents.announceDue(),
    },
    {
      name: 'problems of the manager',
      everySeconds: async () => Math.min(30, 3 * alertSeconds),
      run: () => incidents.checkSystem(),
    },
    { name: 'alerts about events', everySeconds: async () => alertSeconds, run: () => alertSources.reportEvents() },
    { name: 'alerts about states', everySeconds: async () => 300, run: () => alertSources.reportConditions() },
    {
      name: 'retention of incidents',
      everySeconds: async () => 6 * 3_600,
      run: () => incidents.removeEndedBefore(new Date(Date.now() - incidentRetentionDays * day)),
    },
    {
      name: 'retention of inboxes',
      everySeconds: async () => 6 * 3_600,
      run: () => notifications.removeOlderThan(new Date(Date.now() - inboxRetention * day)),
    },
    {
      name: 'retention of kept logs',
      everySeconds: async () => 6 * 3_600,
      run: async () =>
        app.logArchive.removeOlderThan(new Date(Date.now() - (await settings.read('log_retention_days')) * day)),
    },
    { name: 'ended sessions', everySeconds: async () => 3_600, run: () => app.accounts.removeEndedSessions() },
    { name: 'kept logs', everySeconds: async () => 60, run: (signal) => app.logArchive.collectAll(signal) },
    { name: 'backups', everySeconds: async () => 30, run: (signal) => backups.schedules.runDue(signal) },
    {
      // At once when something is enqueued, otherwise for what was put off.
      name: 'notifications',
      everySeconds: async () => (outbox.isWoken() ? 0 : 5),
      onPauseChange: outbox.onWake,
      run: (signal) => outbox.deliverDue(signal),
    },
    { name: 'restore drills', everySeconds: async () => 3_600, run: (signal) => backups.drills.runDue(signal) },
    { name: 'scratch databases', everySeconds: async () => 60, run: () => backups.scratchDatabases.clear() },
    { name: 'copies of backups', everySeconds: async () => 60, run: (signal) => backups.copyOffsite(signal) },
    {
      name: 'backup retention',
      everySeconds: async () => 3_600,
      run: (signal) => backups.schedules.applyRetention(signal),
    },
    { name: 'lists kept no longer', everySeconds: async () => 3_600, run: () => app.imports.tidy() },
    { name: 'screenshots kept no longer', everySeconds: async () => 3_600, run: () => app.analyses.tidy() },
    {
      name: 'digests of notifications',
      everySeconds: async () => Math.min(5, alertSeconds),
      run: (signal) => notifications.sendDigests(signal),
    },
    { name: 'reserve for a full disk', everySeconds: async () => 60, run: fillReserve },
    { name: 'streams without a record', everySeconds: async () => 3_600, run: removeOrphanedStreams },
  ];
}

/**
 * Runs each schedule again and again, never twice at a time, until stopped. A failed run is logged and tried again at its
 * next turn.
 * @returns ends them, waiting for what runs
 */
export function startSchedules(schedules: readonly Schedule[], logger: Logger): () => Promise<void> {
  const stop = new AbortController();
  const loops = schedules.map((schedule) => repeat(schedule, logger, stop.signal));
  return async () => {
    stop.abort();
    await Promise.all(loops);
  };
}

async function repeat(schedule: Schedule, logger: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await pause(schedule, signal);
    if (signal.aborted) return;
    try {
      await schedule.run(signal);
    } catch (error) {
      if (!signal.aborted)
        logger.error({ schedule: schedule.name, message: messageOf(error) }, 'scheduled work failed');
    }
  }
}

/** Waits until the next run; a pause that is changed in between counts from the same beginning. */
async function pause({ everySeconds, onPauseChange }: Schedule, stopping: AbortSignal): Promise<void> {
  const began = performance.now();
  const spread = 1 + jitter * (Math.random() - 0.5);
  for (;;) {
    const changed = new AbortController();
    const stopListening = onPauseChange?.(() => changed.abort());
    const seconds = await everySeconds().catch(() => 60);
    const leftMs = Math.max(0, began + seconds * 1000 * spread - performance.now());
    const signal = AbortSignal.any([stopping, changed.signal]);
    await sleep(leftMs, undefined, { signal, ref: false }).catch(() => undefined);
    stopListening?.();
    if (stopping.aborted || !changed.signal.aborted) return;
  }
}
