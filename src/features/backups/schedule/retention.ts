/** How many backups are kept: the newest, and the newest of each of the last days, weeks and months with a backup (UTC). */
export interface Keep {
  last: number;
  daily: number;
  weekly: number;
  monthly: number;
}

interface Dated {
  id: string;
  createdAt: Date;
}

const dayOf = (date: Date): string => date.toISOString().slice(0, 10);
const monthOf = (date: Date): string => date.toISOString().slice(0, 7);

/** The Monday of a date's week (ISO 8601). */
function weekOf(date: Date): string {
  const sinceMonday = (date.getUTCDay() + 6) % 7;
  return dayOf(new Date(date.getTime() - sinceMonday * 86_400_000));
}

/** The backups to remove, of one tenant and kind; the newest is always kept. */
export function expired(backups: readonly Dated[], keep: Keep): string[] {
  const newestFirst = backups.toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime());
  const kept = new Set(newestFirst.slice(0, Math.max(1, keep.last)).map(({ id }) => id));
  const periods = [
    [keep.daily, dayOf],
    [keep.weekly, weekOf],
    [keep.monthly, monthOf],
  ] as const;
  for (const [count, periodOf] of periods) {
    const seen = new Set<string>();
    for (const { id, createdAt } of newestFirst) {
      const period = periodOf(createdAt);
      if (seen.has(period)) continue;
      if (seen.size >= count) break;
      seen.add(period);
      kept.add(id);
    }
  }
  return newestFirst.filter(({ id }) => !kept.has(id)).map(({ id }) => id);
}
