import { createHash } from 'node:crypto';
import { Cron } from 'croner';

/** So that tenants of one schedule don't all begin at the same moment, but for those that come often. */
const longestDelayMs = 5 * 60_000;
const share = 0.1;

/** What is wrong with a cron expression; undefined: nothing. */
export function cronProblem(expression: string): string | undefined {
  try {
    // A run that never comes is a mistake (the 30th of February).
    return nextRun(expression, new Date()) ? undefined : 'names no moment that ever comes';
  } catch {
    return 'must be a cron expression of five fields: minute, hour, day of month, month, day of week';
  }
}

function nextRun(expression: string, after: Date): Date | null {
  return new Cron(expression, { paused: true, timezone: 'UTC', mode: '5-part' }).nextRun(after);
}

/**
 * When a tenant's next run is due, in UTC: runs that were missed meanwhile (the manager was down) are one run, due at once.
 * @param countedFrom the last run, or when the schedule was set
 */
export function dueAt(expression: string, countedFrom: Date, tenantId: string): Date | null {
  const first = nextRun(expression, countedFrom);
  const second = first && nextRun(expression, first);
  if (!first || !second) return first;
  const most = Math.min(longestDelayMs, share * (second.getTime() - first.getTime()));
  const chance = createHash('sha256').update(tenantId).digest().readUInt32BE() / 2 ** 32;
  return new Date(first.getTime() + Math.floor(most * chance));
}
