import { metricsOf } from '../metrics.ts';
import { type Bucket, totalOf } from '../rollups/bucket.ts';

/** The places of these among a tenant's metrics. */
const up = metricsOf.tenant.findIndex(({ name }) => name === 'tenantry_tenant_up');
const down = metricsOf.tenant.findIndex(({ name }) => name === 'tenantry_tenant_down_seconds');
export const daySeconds = 86_400;

/** Over some time: how many checks there were, and the percentage that found the tenant up; null: there were none. */
export interface Share {
  checks: number;
  percent: number | null;
}

export interface MonthFigures extends Share {
  /** The time that a tenant may be down in the whole month, and was, in seconds; negative `left`: the objective is missed. */
  budget: number;
  used: number;
  left: number;
}

/** Percentages have three digits and are rounded down, so that 100 means no failed check. */
const percentOf = (good: number, all: number): number => Math.floor((good / all) * 100_000) / 1_000;

export function shareOf(buckets: Iterable<Bucket>): Share {
  const total = totalOf(buckets, up);
  return total ? { checks: total.count, percent: percentOf(total.sum, total.count) } : { checks: 0, percent: null };
}

export const joinShares = (shares: readonly { checks: number; down: number }[]): Share => {
  const [checks, down] = shares.reduce((sum, one) => [sum[0] + one.checks, sum[1] + one.down], [0, 0] as [
    number,
    number,
  ]);
  return checks === 0 ? { checks, percent: null } : { checks, percent: percentOf(checks - down, checks) };
};

export function downOf(buckets: Iterable<Bucket>): { checks: number; down: number } {
  const total = totalOf(buckets, up);
  return total ? { checks: total.count, down: total.count - total.sum } : { checks: 0, down: 0 };
}

/** The percentage of each of the last days, today last; null: no check. */
export function stripOf(buckets: readonly Bucket[], { now, days }: { now: Date; days: number }): (number | null)[] {
  const today = Math.floor(now.getTime() / 1_000 / daySeconds) * daySeconds;
  const byDay = new Map(buckets.map((bucket) => [bucket.at, bucket]));
  return Array.from({ length: days }, (_, index) => {
    const bucket = byDay.get(today - (days - 1 - index) * daySeconds);
    return bucket ? shareOf([bucket]).percent : null;
  });
}

/** The bounds of a month in UTC, in seconds since 1970. @param month `2026-11` */
export function monthBounds(month: string): { from: number; until: number } {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { from: Date.UTC(year, number - 1) / 1_000, until: Date.UTC(year, number) / 1_000 };
}

/** The month of a moment, in UTC. */
export const monthAt = (moment: Date): string => moment.toISOString().slice(0, 7);

/**
 * The figures of a month.
 * @param buckets the tenant's days
 * @param objective percentage that is aimed at
 */
export function monthFigures(
  buckets: readonly Bucket[],
  { month, objective }: { month: string; objective: number },
): MonthFigures {
  const { from, until } = monthBounds(month);
  const inside = buckets.filter(({ at }) => at >= from && at < until);
  const budget = Math.round((until - from) * (1 - objective / 100));
  const used = Math.round(totalOf(inside, down)?.sum ?? 0);
  return { ...shareOf(inside), budget, used, left: budget - used };
}
