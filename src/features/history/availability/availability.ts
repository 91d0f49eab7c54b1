import type { Clock } from '../../../lib/clock.ts';
import type { Tenant, Tenants } from '../../tenants/tenants.ts';
import { keyOf } from '../metrics.ts';
import type { Recorder } from '../recorder.ts';
import type { Bucket } from '../rollups/bucket.ts';
import { levels } from '../rollups/levels.ts';
import {
  daySeconds,
  downOf,
  joinShares,
  type MonthFigures,
  monthAt,
  monthBounds,
  monthFigures,
  type Share,
  shareOf,
  stripOf,
} from './figures.ts';

const [, minutes, hours, days] = levels;
const stripDays = 90;
/** Tenants that the fleet's answer names. */
const lowestCount = 8;

export interface AvailabilityDeps {
  clock: Clock;
  recorder: Pick<Recorder, 'read'>;
  tenants: Pick<Tenants, 'get' | 'each'>;
  settings: { read(key: 'availability_objective'): Promise<number> };
}

type Named = Pick<Tenant, 'id' | 'name' | 'slug'>;

/** The availability of all tenants in a month. */
export interface AvailabilityReport {
  month: string;
  objective: number;
  fleet: Share;
  /** The lowest availability first, then tenants without checks. */
  tenants: (MonthFigures & { tenant: Named })[];
}

/** What the checks of tenants say about their availability, over days and months in UTC. */
export function createAvailability({ clock, recorder, tenants, settings }: AvailabilityDeps) {
  const nowSeconds = (): number => clock.now().getTime() / 1_000;
  const objective = () => settings.read('availability_objective');

  async function daysSince(from: number, subjects?: readonly string[]): Promise<Map<string, Bucket[]>> {
    return recorder.read({ ...(subjects ? { subjects } : {}), level: days, step: days.step, from });
  }
  const lastDays = (count: number): number => Math.floor(nowSeconds() / daySeconds - (count - 1)) * daySeconds;

  async function named(): Promise<Map<string, Named>> {
    const found = new Map<string, Named>();
    for await (const { id, name, slug } of tenants.each()) found.set(id, { id, name, slug });
    return found;
  }

  return {
    /** A tenant's availability. @throws AppError not_found */
    async of(tenantId: string) {
      const { id } = await tenants.get(tenantId);
      const key = keyOf({ kind: 'tenant', id });
      const now = clock.now();
      const since = (level: typeof minutes | typeof hours, seconds: number) =>
        recorder.read({ subjects: [key], level, step: level.step, from: nowSeconds() - seconds });
      const [byMinute, byHour, byDay, aim] = await Promise.all([
        since(minutes, daySeconds),
        since(hours, 30 * daySeconds),
        daysSince(Math.min(lastDays(stripDays), monthBounds(monthAt(now)).from), [key]),
        objective(),
      ]);
      const ofDays = byDay.get(key) ?? [];
      return {
        tenant_id: id,
        objective: aim,
        last_24h: shareOf(byMinute.get(key) ?? []),
        last_30d: shareOf(byHour.get(key) ?? []),
        last_90d: shareOf(ofDays.filter(({ at }) => at >= lastDays(stripDays))),
        strip: stripOf(ofDays, { now, days: stripDays }),
        month: { name: monthAt(now), ...monthFigures(ofDays, { month: monthAt(now), objective: aim }) },
      };
    },

    /** The availability of all tenants together in the last days, and of those with the lowest. */
    async ofFleet(count: number) {
      const [known, byTenant, aim] = await Promise.all([named(), daysSince(lastDays(count)), objective()]);
      const rows = [...known].map(([id, tenant]) => ({ tenant, buckets: byTenant.get(id) ?? [] }));
      const lowest = rows
        .map(({ tenant, buckets }) => ({
          tenant,
          ...shareOf(buckets),
          strip: stripOf(buckets, { now: clock.now(), days: count }),
        }))
        .filter(({ percent }) => percent !== null)
        .sort(lowestFirst);
      return {
        objective: aim,
        fleet: joinShares(rows.map(({ buckets }) => downOf(buckets))),
        lowest: lowest.slice(0, lowestCount),
      };
    },

    /** The report of a month. */
    async report(month: string): Promise<AvailabilityReport> {
      const { from } = monthBounds(month);
      const [known, byTenant, aim] = await Promise.all([named(), daysSince(from), objective()]);
      const { until } = monthBounds(month);
      const inMonth = (id: string) => (byTenant.get(id) ?? []).filter(({ at }) => at < until);
      return {
        month,
        objective: aim,
        fleet: joinShares([...known.keys()].map((id) => downOf(inMonth(id)))),
        tenants: [...known]
          .map(([id, tenant]) => ({ tenant, ...monthFigures(inMonth(id), { month, objective: aim }) }))
          .sort(lowestFirst),
      };
    },
  };
}

const lowestFirst = (one: { tenant: Named } & Share, other: { tenant: Named } & Share): number =>
  (one.percent ?? Infinity) - (other.percent ?? Infinity) || one.tenant.name.localeCompare(other.tenant.name);
