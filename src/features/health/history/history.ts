import { z } from 'zod';
import { toTimestamp } from '../../../lib/http/routing/formats.ts';
import { type HealthStatus, healthStatuses } from '../../tenants/tenants.ts';
import type { HealthHistory, HealthReport, PageCheck } from '../schema.ts';

/** Two hours at the usual interval of a minute. */
const kept = 120;
const noAnswer = -1;
/** What was found longer before a start is no picture of now. Milliseconds. */
const longestGap = 86_400_000;

const time = z
  .int()
  .min(noAnswer)
  .max(2 ** 31 - 1);
/** A check: its moment (ms since 1970), its status, and how fast frontend, backend and proxy answered (ms; -1: not). */
const keptCheck = z.tuple([z.int().min(0), z.enum(healthStatuses), time, time, time]);
type KeptCheck = z.output<typeof keptCheck>;
/** A tenant's last checks, oldest first, as they are kept over a restart. */
export const storedChecks = z.object({ tenant_id: z.uuid(), checks: z.array(keptCheck).max(kept) });
export type StoredChecks = z.output<typeof storedChecks>;

/** A tenant's last checks as columns of numbers: some kilobytes a tenant, nothing for the garbage collector. */
class Ring {
  readonly #at = new Float64Array(kept);
  readonly #status = new Uint8Array(kept);
  readonly #times = [new Int32Array(kept), new Int32Array(kept), new Int32Array(kept)] as const;
  #count = 0;

  add([at, status, ...times]: KeptCheck): void {
    const place = this.#count++ % kept;
    this.#at[place] = at;
    this.#status[place] = healthStatuses.indexOf(status);
    for (const [column, ms] of times.entries()) (this.#times[column] as Int32Array)[place] = ms;
  }

  /** Oldest first. */
  *read(): Generator<KeptCheck> {
    for (let index = Math.max(0, this.#count - kept); index < this.#count; index += 1) {
      const place = index % kept;
      const [frontend = noAnswer, backend = noAnswer, proxy = noAnswer] = this.#times.map((column) => column[place]);
      const status = healthStatuses[this.#status[place] ?? 0] as HealthStatus;
      yield [this.#at[place] ?? 0, status, frontend, backend, proxy];
    }
  }
}

const asKept = ({ last_check, overall_status, checks }: HealthReport): KeptCheck => [
  Date.parse(last_check),
  overall_status,
  timeOf(checks.frontend),
  timeOf(checks.backend),
  timeOf(checks.proxy),
];

const asShown = ([at, overall_status, frontend, backend, proxy]: KeptCheck): HealthHistory['checks'][number] => ({
  at: toTimestamp(new Date(at)),
  overall_status,
  frontend_ms: shown(frontend),
  backend_ms: shown(backend),
  proxy_ms: shown(proxy),
});

const timeOf = (page: PageCheck | undefined): number =>
  page?.status === 'up' ? (page.response_time_ms ?? noAnswer) : noAnswer;
const shown = (ms: number): number | null => (ms === noAnswer ? null : ms);

export interface CheckHistory {
  /** Checks begun one after the other; of two side by side the later alone is to be given. */
  add(report: HealthReport): void;
  /** A tenant's checks, oldest first. */
  of(tenantId: string): HealthHistory['checks'];
  forget(tenantId: string): void;
  /** All there is, to be kept over a restart. */
  all(): Iterable<StoredChecks>;
  /** Takes what an earlier manager found up to a day ago, before any check of this one. */
  restore(history: StoredChecks, now: Date): void;
}

/** What the last checks of each tenant found, in memory. */
export function createCheckHistory(): CheckHistory {
  const rings = new Map<string, Ring>();
  return {
    add(report) {
      const ring = rings.get(report.tenant_id) ?? new Ring();
      rings.set(report.tenant_id, ring);
      ring.add(asKept(report));
    },
    of: (tenantId) => [...(rings.get(tenantId)?.read() ?? [])].map(asShown),
    forget: (tenantId) => void rings.delete(tenantId),
    *all() {
      for (const [tenantId, ring] of rings) yield { tenant_id: tenantId, checks: [...ring.read()] };
    },
    restore({ tenant_id: tenantId, checks }, now) {
      const since = now.getTime() - longestGap;
      const recent = checks.filter(([at]) => at >= since);
      if (recent.length === 0) return;
      const ring = new Ring();
      rings.set(tenantId, ring);
      for (const check of recent) ring.add(check);
    },
  };
}
