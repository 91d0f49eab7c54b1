import type { Tenants } from '../../tenants/tenants.ts';
import type { Facts } from './facts.ts';

type Fleet = Extract<Facts['fleet'], { known: true }>['value'];

/** Many tenants may turn red at once: they share one look at all of them. In ms. */
const reusedMs = 5_000;

/** Counts the unhealthy tenants of a commit, and of all others. */
export function createFleetCounts(tenants: Pick<Tenants, 'each'>) {
  let last: { at: number; counts: Promise<Map<string, { tenants: number; unhealthy: number }>> } | undefined;

  async function countAll() {
    const counts = new Map<string, { tenants: number; unhealthy: number }>();
    for await (const { status, healthStatus, deployed } of tenants.each({ deployedOnly: true })) {
      if (!deployed || (status !== 'running' && status !== 'error')) continue;
      const count = counts.get(deployed.commit) ?? { tenants: 0, unhealthy: 0 };
      counts.set(deployed.commit, count);
      count.tenants += 1;
      if (healthStatus === 'unhealthy') count.unhealthy += 1;
    }
    return counts;
  }

  return async (commit: string | undefined): Promise<Fleet> => {
    const now = performance.now();
    if (!last || now - last.at > reusedMs) last = { at: now, counts: countAll() };
    const same = { tenants: 0, unhealthy: 0 };
    const others = { tenants: 0, unhealthy: 0 };
    for (const [of, count] of await last.counts) {
      const sum = of === commit ? same : others;
      sum.tenants += count.tenants;
      sum.unhealthy += count.unhealthy;
    }
    return { same, others };
  };
}
