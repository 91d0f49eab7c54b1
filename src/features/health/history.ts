import { toTimestamp } from '../../platform/http/formats.ts';
import { type HealthStatus, healthStatuses } from '../tenants/tenant.ts';
import type { HealthHistory, HealthReport, PageCheck } from './schema.ts';

/** Two hours at the usual interval of a minute. */
const kept = 120;
const noAnswer = -1;

/** A tenant's last checks as columns of numbers: some kilobytes a tenant, nothing for the garbage collector. */
class Ring {
  readonly #at = new Float64Array(kept);
  readonly #status = new Uint8Array(kept);
  readonly #times = [new Int32Array(kept), new Int32Array(kept), new Int32Array(kept)] as const;
  #count = 0;

  add({ last_check, overall_status, checks }: HealthReport): void {
    const place = this.#count++ % kept;
    const { frontend, backend, proxy } = checks;
    this.#at[place] = Date.parse(last_check);
    this.#status[place] = healthStatuses.indexOf(overall_status);
    for (const [column, page] of [frontend, backend, proxy].entries())
      (this.#times[column] as Int32Array)[place] = timeOf(page);
  }

  /** Oldest first. */
  *read(): Generator<HealthHistory['checks'][number]> {
    for (let index = Math.max(0, this.#count - kept); index < this.#count; index += 1) {
      const place = index % kept;
      const [frontend, backend, proxy] = this.#times.map((column) => shown(column[place]));
      yield {
        at: toTimestamp(new Date(this.#at[place] ?? 0)),
        overall_status: healthStatuses[this.#status[place] ?? 0] as HealthStatus,
        frontend_ms: frontend ?? null,
        backend_ms: backend ?? null,
        proxy_ms: proxy ?? null,
      };
    }
  }
}

const timeOf = (page: PageCheck | undefined): number =>
  page?.status === 'up' ? (page.response_time_ms ?? noAnswer) : noAnswer;
const shown = (ms: number | undefined): number | null => (ms === undefined || ms === noAnswer ? null : ms);

export interface CheckHistory {
  /** Checks begun one after the other; of two side by side the later alone is to be given. */
  add(report: HealthReport): void;
  /** A tenant's checks, oldest first. */
  of(tenantId: string): HealthHistory['checks'];
  forget(tenantId: string): void;
}

/** What the last checks of each tenant found, in memory: a manager that starts anew begins anew. */
export function createCheckHistory(): CheckHistory {
  const rings = new Map<string, Ring>();
  return {
    add(report) {
      const ring = rings.get(report.tenant_id) ?? new Ring();
      rings.set(report.tenant_id, ring);
      ring.add(report);
    },
    of: (tenantId) => [...(rings.get(tenantId)?.read() ?? [])],
    forget: (tenantId) => void rings.delete(tenantId),
  };
}
