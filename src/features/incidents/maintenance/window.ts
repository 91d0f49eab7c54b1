/** A time in which nothing about a tenant is announced: incidents wait for its end, other alerts are only in the inbox. */
export interface MaintenanceWindow {
  id: string;
  /** null: all tenants, and the manager's own problems. */
  tenantId: string | null;
  startsAt: Date;
  endsAt: Date;
  /** Whether it repeats each week at the same time on the clock of `timeZone`. */
  weekly: boolean;
  timeZone: string;
  reason: string;
  createdBy: string;
  createdAt: Date;
}

/** Whether a window covers a tenant; null: the manager itself. */
export type MaintenanceCheck = (tenantId: string | null) => boolean;

const weekMs = 7 * 86_400_000;

/** Whether a window covers a moment; its end does not belong to it. */
export function coversTime(
  { startsAt, endsAt, weekly, timeZone }: Pick<MaintenanceWindow, 'startsAt' | 'endsAt' | 'weekly' | 'timeZone'>,
  at: Date,
): boolean {
  if (at < startsAt) return false;
  if (!weekly) return at < endsAt;
  const start = clockOf(startsAt, timeZone);
  return (clockOf(at, timeZone) - start) % weekMs < clockOf(endsAt, timeZone) - start;
}

/** Which tenants these windows cover at a moment. */
export function maintenanceAt(windows: readonly MaintenanceWindow[], at: Date): MaintenanceCheck {
  const active = windows.filter((window) => coversTime(window, at));
  return (tenantId) => active.some((window) => window.tenantId === null || window.tenantId === tenantId);
}

/** What a zone's clock shows, as ms since 1970 of its digits: a week is a week there, through changes of the clock. */
function clockOf(at: Date, timeZone: string): number {
  // Swedish times are ISO 8601 but for the T.
  const shown = Date.parse(`${at.toLocaleString('sv', { timeZone }).replace(' ', 'T')}Z`);
  return shown + at.getMilliseconds();
}
