import { z } from 'zod';
import { toTimestamp } from '../../../lib/http/routing/formats.ts';
import { type HealthStatus, healthStatuses } from '../../tenants/tenants.ts';
import type { HealthHistory, HealthReport, PageCheck } from '../schema.ts';

/** Two hours at the default interval of a minute. */
const maxChecks = 120;
const noAnswer = -1;
/** Older checks are dropped at startup, in ms. */
const maxAgeMs = 86_400_000;

const time = z
  .int()
  .min(noAnswer)
  .max(2 ** 31 - 1);
/** A check: time (ms since 1970), status, and response times of frontend, backend and proxy (ms; -1: no answer). */
const storedCheck = z.tuple([z.int().min(0), z.enum(healthStatuses), time, time, time]);
type StoredCheck = z.output<typeof storedCheck>;
/** A tenant's last checks, oldest first, as stored across restarts. */
export const storedChecks = z.object({ tenant_id: z.uuid(), checks: z.array(storedCheck).max(maxChecks) });
export type StoredChecks = z.output<typeof storedChecks>;

/** A ring buffer of a tenant's last checks as typed arrays: a few kilobytes, no garbage. */
class CheckRing {
  readonly #at = new Float64Array(maxChecks);
  readonly #status = new Uint8Array(maxChecks);
  readonly #times = [new Int32Array(maxChecks), new Int32Array(maxChecks), new Int32Array(maxChecks)] as const;
  #count = 0;

  add([at, status, ...times]: StoredCheck): void {
    const slot = this.#count++ % maxChecks;
    this.#at[slot] = at;
    this.#status[slot] = healthStatuses.indexOf(status);
    for (const [column, ms] of times.entries()) (this.#times[column] as Int32Array)[slot] = ms;
  }

  /** Oldest first. */
  *read(): Generator<StoredCheck> {
    for (let index = Math.max(0, this.#count - maxChecks); index < this.#count; index += 1) {
      const slot = index % maxChecks;
      const [frontend = noAnswer, backend = noAnswer, proxy = noAnswer] = this.#times.map((column) => column[slot]);
      const status = healthStatuses[this.#status[slot] ?? 0] as HealthStatus;
      yield [this.#at[slot] ?? 0, status, frontend, backend, proxy];
    }
  }
}

const toStored = ({ last_check, overall_status, checks }: HealthReport): StoredCheck => [
  Date.parse(last_check),
  overall_status,
  timeOf(checks.frontend),
  timeOf(checks.backend),
  timeOf(checks.proxy),
];

const toResponse = ([at, overall_status, frontend, backend, proxy]: StoredCheck): HealthHistory['checks'][number] => ({
  at: toTimestamp(new Date(at)),
  overall_status,
  frontend_ms: shown(frontend),
  backend_ms: shown(backend),
  proxy_ms: shown(proxy),
});

const timeOf = (page: PageCheck | undefined): number =>
  page?.status === 'up' ? (page.response_time_ms ?? noAnswer) : noAnswer;
const shown = (ms: number): number | null => (ms === noAnswer ? null : ms);

export interface HealthPeriod {
  at: Date;
  checks: number;
  /** Checks in which a tenant was unhealthy. */
  unhealthy: number;
}

export interface CheckHistory {
  /** Adds checks in the order of their start; of two concurrent checks, add only the later one. */
  add(report: HealthReport): void;
  /** A tenant's checks, oldest first. */
  of(tenantId: string): HealthHistory['checks'];
  forget(tenantId: string): void;
  /** Checks of all tenants in equal periods until now, oldest first. */
  periods(options: { now: Date; count: number; lengthMs: number }): HealthPeriod[];
  /** All checks, to store across a restart. */
  all(): Iterable<StoredChecks>;
  /** Restores stored checks of the last day. Call it before the first check. */
  restore(history: StoredChecks, now: Date): void;
}

/** Keeps the last checks of each tenant in memory. */
export function createCheckHistory(): CheckHistory {
  const rings = new Map<string, CheckRing>();
  return {
    add(report) {
      const ring = rings.get(report.tenant_id) ?? new CheckRing();
      rings.set(report.tenant_id, ring);
      ring.add(toStored(report));
    },
    of: (tenantId) => [...(rings.get(tenantId)?.read() ?? [])].map(toResponse),
    forget: (tenantId) => void rings.delete(tenantId),
    periods({ now, count, lengthMs }) {
      const start = now.getTime() - count * lengthMs;
      const periods = Array.from({ length: count }, (_, index) => ({
        at: new Date(start + index * lengthMs),
        checks: 0,
        unhealthy: 0,
      }));
      for (const ring of rings.values())
        for (const [at, status] of ring.read()) {
          const period = periods[Math.floor((at - start) / lengthMs)];
          if (!period || status === 'unknown') continue;
          period.checks += 1;
          if (status === 'unhealthy') period.unhealthy += 1;
        }
      return periods;
    },
    *all() {
      for (const [tenantId, ring] of rings) yield { tenant_id: tenantId, checks: [...ring.read()] };
    },
    restore({ tenant_id: tenantId, checks }, now) {
      const since = now.getTime() - maxAgeMs;
      const recent = checks.filter(([at]) => at >= since);
      if (recent.length === 0) return;
      const ring = new CheckRing();
      rings.set(tenantId, ring);
      for (const check of recent) ring.add(check);
    },
  };
}
