import { messageOf } from '../../kernel/errors.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import type { FoundSite, ReverseProxy } from '../../platform/proxy/proxy.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { SiteRegister } from './register.ts';
import { servesNamesOf } from './site.ts';
import type { Sites } from './sites.ts';
import type { AppliedSite } from './store.ts';

/** `outdated`: as applied, but the tenant has other host names by now; `orphan`: of a tenant that is gone. */
export const configStates = ['in_sync', 'edited', 'missing', 'outdated', 'orphan'] as const;
export type ConfigState = (typeof configStates)[number];

interface DriftDeps {
  proxy: ReverseProxy;
  register: SiteRegister;
  sites: Sites;
  tenants: {
    find(id: string): Promise<Tenant | undefined>;
    namesOf(ids: readonly string[]): Promise<ReadonlyMap<string, string>>;
  };
  /** Lets a site follow its tenant's host names. */
  rename(tenantId: string): Promise<boolean>;
  /** Runs the work while nothing else works on the tenant. @throws AppError operation_in_progress */
  exclusive<T>(tenantId: string, name: string, work: () => Promise<T>): Promise<T>;
  journal: WriteJournal;
}

/** Differences between what was put into service at the proxy and what is found there. */
export interface Drift {
  stateOf(applied: AppliedSite): Promise<ConfigState>;
  /** Files of tenants that are gone. */
  orphans(): Promise<FoundSite[]>;
  /** Looks at all sites; tells changes in the journal, each once, and lets outdated ones follow. */
  look(): Promise<void>;
  /** Puts every site that is not as applied into service again. */
  repair(signal: AbortSignal): Promise<{ repaired: string[]; failed: { slug: string; reason: string }[] }>;
  counts(): ReadonlyMap<ConfigState, number>;
}

export function createDrift(deps: DriftDeps): Drift {
  const { proxy, register, sites, tenants, journal } = deps;
  /** What the last look found, of sites that are not as they should be. */
  let known = new Map<string, ConfigState>();
  let counted = new Map<ConfigState, number>();

  async function stateOf({ tenantId, site }: AppliedSite): Promise<ConfigState> {
    const state = await proxy.state(site);
    if (state !== 'in_sync') return state;
    const tenant = await tenants.find(tenantId);
    return tenant && !servesNamesOf(site, tenant) ? 'outdated' : 'in_sync';
  }

  async function orphans(): Promise<FoundSite[]> {
    const found = await proxy.found();
    const names = await tenants.namesOf(found.map(({ tenant }) => tenant.id));
    return found.filter(({ tenant }) => !names.has(tenant.id));
  }

  async function drifted(): Promise<AppliedSite[]> {
    const drift: AppliedSite[] = [];
    for (const applied of await register.all())
      if ((await proxy.state(applied.site)) !== 'in_sync') drift.push(applied);
    return drift;
  }

  return {
    stateOf,
    orphans,

    async look() {
      const now = new Map<string, ConfigState>();
      const counts = new Map<ConfigState, number>();
      for (const applied of await register.all()) {
        const state = await stateOf(applied);
        counts.set(state, (counts.get(state) ?? 0) + 1);
        if (state === 'outdated') await deps.rename(applied.tenantId);
        if (state === 'in_sync') continue;
        now.set(applied.tenantId, state);
        if (known.get(applied.tenantId) === state || state === 'outdated') continue;
        const { path } = proxy.render(applied.site);
        const { slug } = applied.site.tenant;
        await journal({
          level: 'warning',
          category: 'system',
          message: `The proxy’s configuration of ${slug} is ${state}: ${path}; POST /api/proxy/reload?repair=true mends it`,
          tenant: { id: applied.tenantId, slug },
          details: { state, path },
        });
      }
      const gone = (await orphans()).length;
      if (gone > 0) counts.set('orphan', gone);
      known = now;
      counted = counts;
    },

    async repair(signal) {
      const repaired: string[] = [];
      let failed: { slug: string; reason: string }[] = [];
      // All at a time, twice: where several files are broken none of them passes the proxy's test alone, and the first to come
      // is tested alone.
      for (const attempt of [1, 2]) {
        failed = [];
        const broken = await drifted();
        if (attempt === 2 && broken.length === 0) break;
        await Promise.all(
          broken.map(async ({ tenantId, site }) => {
            try {
              const work = { log: () => undefined, signal };
              await deps.exclusive(tenantId, 'proxy repair', () => sites.apply(site, work));
              repaired.push(site.tenant.slug);
              known.delete(tenantId);
            } catch (error) {
              failed.push({ slug: site.tenant.slug, reason: messageOf(error) });
            }
          }),
        );
        if (failed.length === 0) break;
      }
      return { repaired, failed };
    },

    counts: () => counted,
  };
}
