import { createHash } from 'node:crypto';
import { Cron } from 'croner';

/** Spreads tenants with the same schedule by at most this time, or by a tenth of the interval. */
const maxDelayMs = 5 * 60_000;
const maxDelayShare = 0.1;

/** Validates a cron expression; undefined: valid. */
export function cronProblem(expression: string): string | undefined {
  try {
    // For example, February 30 never comes.
    return nextRun(expression, new Date()) ? undefined : 'must have a run in the future';
  } catch {
    return 'must be a cron expression of five fields: minute, hour, day of month, month, day of week';
  }
}

function nextRun(expression: string, after: Date): Date | null {
  return new Cron(expression, { paused: true, timezone: 'UTC', mode: '5-part' }).nextRun(after);
}

/** The last run of a schedule that began before this time; null: none did. */
export function lastRunBefore(expression: string, before: Date): Date | null {
  const cron = new Cron(expression, { paused: true, timezone: 'UTC', mode: '5-part' });
  return cron.previousRuns(1, before)[0] ?? null;
}

/**
 * When a tenant's next run is due, in UTC. If several runs were missed while the manager was down, one run is due at once.
 * @param countedFrom the last run, or when the schedule was set
 */
export function dueAt(expression: string, countedFrom: Date, tenantId: string): Date | null {
  const first = nextRun(expression, countedFrom);
  const second = first && nextRun(expression, first);
  if (!first || !second) return first;
  const maxMs = Math.min(maxDelayMs, maxDelayShare * (second.getTime() - first.getTime()));
  const fraction = createHash('sha256').update(tenantId).digest().readUInt32BE() / 2 ** 32;
  return new Date(first.getTime() + Math.floor(maxMs * fraction));
}
