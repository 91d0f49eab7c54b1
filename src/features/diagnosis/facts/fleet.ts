import type { Tenants } from '../../tenants/tenants.ts';
import type { FleetTenant } from './facts.ts';

/** Many tenants may turn red at once: they share one look at all of them. In ms. */
const reusedMs = 5_000;

/** Where other tenants are read from. */
export interface FleetSources {
  tenants: Pick<Tenants, 'each'>;
  /** The code of the cause of each tenant that an open incident affects, by its id. */
  knownCauses(): Promise<ReadonlyMap<string, string>>;
}

/** Reads what is known of all tenants that should run. */
export function createFleetReader({ tenants, knownCauses }: FleetSources) {
  let last: { at: number; found: Promise<readonly FleetTenant[]> } | undefined;

  async function readAll(): Promise<readonly FleetTenant[]> {
    const causes = await knownCauses();
    const found: FleetTenant[] = [];
    for await (const { id, slug, status, healthStatus, deployed } of tenants.each({ deployedOnly: true })) {
      if (!deployed || (status !== 'running' && status !== 'error')) continue;
      const { commit } = deployed;
      found.push({ slug, commit, isUnhealthy: healthStatus === 'unhealthy', cause: causes.get(id) });
    }
    return found;
  }

  return (): Promise<readonly FleetTenant[]> => {
    const now = performance.now();
    if (!last || now - last.at > reusedMs) last = { at: now, found: readAll() };
    return last.found;
  };
}
