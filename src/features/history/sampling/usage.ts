import { setTimeout as sleep } from 'node:timers/promises';
import { type Runtime, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { mapConcurrently } from '../../../lib/concurrency/map-concurrently.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { spaceOf, type Tenant, type Tenants } from '../../tenants/tenants.ts';
import type { Values } from '../metrics.ts';

/** Engines answer each question by reading counters of the kernel: two tenants at a time, at most 40 a second. */
const concurrency = 2;
const pauseMs = 50;
/** A unit that does not answer must not hold up the others. */
const timeoutMs = 5_000;

export interface UsageDeps {
  runtime: Pick<Runtime, 'usage'>;
  tenants: Pick<Tenants, 'each'>;
}

/** Measures the processor time and memory of all running tenants' units, at a bounded rate. */
export function createUsageSampler({ runtime, tenants }: UsageDeps) {
  /** Of each tenant and role, the processor time at its last measurement. */
  let counted = new Map<string, { at: number; cpuMs: number }>();

  async function measure(tenant: Tenant, next: typeof counted): Promise<Values<'tenant'> | undefined> {
    let [memoryBytes, cores, measured]: [number, number | null, number] = [0, 0, 0];
    for (const role of unitRoles) {
      const unit = { tenant: spaceOf(tenant), role };
      const usage = await withTimeout(() => runtime.usage(unit), { timeoutMs }).catch(() => undefined);
      if (!usage) continue;
      measured += 1;
      memoryBytes += usage.memoryBytes;
      const key = `${tenant.id} ${role}`;
      const [before, at] = [counted.get(key), performance.now()];
      if (usage.cpuMs !== null) next.set(key, { at, cpuMs: usage.cpuMs });
      // Less than before: the unit was restarted in between.
      const known = usage.cpuMs !== null && before !== undefined && usage.cpuMs >= before.cpuMs;
      cores = known && cores !== null ? cores + ((usage.cpuMs ?? 0) - before.cpuMs) / (at - before.at) : null;
    }
    return measured === 0 ? undefined : { tenantry_tenant_memory_bytes: memoryBytes, tenantry_tenant_cpu_cores: cores };
  }

  return {
    /** Measures all once. */
    async run(onFigures: (tenant: Tenant, values: Values<'tenant'>) => void, signal: AbortSignal): Promise<void> {
      const next: typeof counted = new Map();
      await mapConcurrently(tenants.each({ deployedOnly: true }), concurrency, async (tenant) => {
        if (signal.aborted || tenant.status !== 'running') return;
        const values = await measure(tenant, next);
        if (values) onFigures(tenant, values);
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      });
      counted = next;
    },
  };
}
