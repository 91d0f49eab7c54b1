import type { WriteJournal } from '../../../adapters/events/journal-entry.ts';
import type { FoundSite, ReverseProxy } from '../../../adapters/proxies/proxy.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { AppliedSite } from '../store.ts';
import type { SiteManager } from '../sync/site-manager.ts';
import type { SiteRegistry } from '../sync/site-registry.ts';
import { pathOf } from './rendering.ts';

/** `outdated`: as applied, but the tenant asks for another by now; `orphan`: the file of no site in service. */
export const configStates = ['in_sync', 'edited', 'missing', 'outdated', 'orphan'] as const;
export type ConfigState = (typeof configStates)[number];

interface DriftDeps {
  proxy: ReverseProxy;
  register: SiteRegistry;
  sites: SiteManager;
  tenants: { find(id: string): Promise<Tenant | undefined> };
  /** Lets an outdated site follow its tenant, where it is time to try. */
  retrySync(tenantId: string): Promise<boolean>;
  /** Runs the work while nothing else works on the tenant. @throws AppError operation_in_progress */
  exclusive<T>(tenantId: string, name: string, work: () => Promise<T>): Promise<T>;
  /** Whether something works on the tenant. */
  isBusy(tenantId: string): boolean;
  journal: WriteJournal;
}

/** Differences between what was put into service at the proxy and what is found there. */
export interface Drift {
  stateOf(applied: AppliedSite): Promise<ConfigState>;
  /** Files that bear our header and belong to no site in service: of tenants that are gone, or copies. */
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
    const tenant = await tenants.find(tenantId);
    // Asked first: what was put into service under other settings is nothing the proxy could compare with.
    const outdated = tenant !== undefined && sites.isOutdated(site, tenant);
    return outdated ? 'outdated' : proxy.state(site);
  }

  async function orphans(): Promise<FoundSite[]> {
    const found = await proxy.found();
    const paths = new Set((await register.all()).map(({ site }) => pathOf(proxy, site)));
    // A site on its way into service is not noted yet.
    return found.filter(({ tenant, path }) => !paths.has(path) && !deps.isBusy(tenant.id));
  }

  /** The site as noted now, where it is not found like that: all may have changed since somebody looked. */
  async function drifted(tenantId: string): Promise<AppliedSite | undefined> {
    const applied = await register.of(tenantId);
    return applied && (await proxy.state(applied.site)) !== 'in_sync' ? applied : undefined;
  }

  async function tell({ tenantId, site }: AppliedSite, state: ConfigState): Promise<void> {
    const path = pathOf(proxy, site);
    const { slug } = site.tenant;
    await journal({
      level: 'warning',
      category: 'system',
      message: `The proxy’s configuration of ${slug} is ${state}: ${path}; POST /api/proxy/reload?repair=true mends it`,
      tenant: { id: tenantId, slug },
      details: { state, path },
    });
  }

  return {
    stateOf,
    orphans,

    async look() {
      const now = new Map<string, ConfigState>();
      const counts = new Map<ConfigState, number>();
      for (const applied of await register.all()) {
        const { tenantId } = applied;
        const state = await stateOf(applied);
        counts.set(state, (counts.get(state) ?? 0) + 1);
        if (state === 'in_sync') continue;
        now.set(tenantId, state);
        if (state === 'outdated') await deps.retrySync(tenantId);
        // What is under way is not told.
        else if (known.get(tenantId) !== state && !deps.isBusy(tenantId)) await tell(applied, state);
      }
      const gone = (await orphans()).length;
      if (gone > 0) counts.set('orphan', gone);
      known = now;
      counted = counts;
    },

    async repair(signal) {
      const repaired: string[] = [];
      const failed: { slug: string; reason: string }[] = [];
      const broken: AppliedSite[] = [];
      for (const { tenantId } of await register.all()) {
        const one = await drifted(tenantId).catch((error) => {
          failed.push({ slug: tenantId, reason: messageOf(error) });
          return undefined;
        });
        if (one) broken.push(one);
      }
      // Applied in one moment, so that the proxy tests them together: where several files are broken none passes without the others.
      const together = createBarrier(broken.length);
      await Promise.all(
        broken.map(async ({ tenantId, site: { tenant } }) => {
          let leave = together.leave;
          try {
            await deps.exclusive(tenantId, 'proxy repair', async () => {
              const applied = await drifted(tenantId);
              if (!applied) return;
              await sites.layCertificates(applied.site);
              leave = () => undefined;
              await together.arrive();
              await sites.putIntoService(applied.site, { log: () => undefined, signal });
              repaired.push(tenant.slug);
              known.delete(tenantId);
            });
          } catch (error) {
            failed.push({ slug: tenant.slug, reason: messageOf(error) });
          } finally {
            leave();
          }
        }),
      );
      return { repaired, failed };
    },

    counts: () => counted,
  };
}

/** Lets several pieces of work wait for each other: who arrives goes on when all others have arrived as well, or have left. */
export function createBarrier(parties: number): { arrive(): Promise<void>; leave(): void } {
  const all = Promise.withResolvers<void>();
  let awaited = parties;
  const count = (): void => {
    awaited -= 1;
    if (awaited === 0) all.resolve();
  };
  return {
    arrive() {
      count();
      return all.promise;
    },
    leave: count,
  };
}
