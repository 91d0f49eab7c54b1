import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { FoundSite, ReverseProxy } from '../../../adapters/proxies/proxy.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import { pathOf } from '../site.ts';
import type { AppliedSite, ProxyStore } from '../store.ts';
import type { SiteManager } from '../sync/site-manager.ts';
import type { SiteSync } from '../sync/site-sync.ts';

/** `outdated`: as applied, but the tenant needs another configuration now; `orphan`: a file without a site in service. */
export const configStates = ['in_sync', 'edited', 'missing', 'outdated', 'orphan'] as const;
export type ConfigState = (typeof configStates)[number];

/** Differences between the applied configurations and those found at the proxy. */
export function createDrift(deps: {
  proxy: ReverseProxy;
  rows: ProxyStore;
  sites: SiteManager;
  tenants: Pick<Tenants, 'find'>;
  /** Syncs an outdated site with its tenant if a retry is due. */
  retrySync: SiteSync['retry'];
  engine: Pick<OperationEngine, 'exclusive' | 'isBusy'>;
  writeAuditLog: WriteAuditLog;
}) {
  const { proxy, rows, sites, tenants, writeAuditLog } = deps;
  /** The sites that were not in sync in the last check. */
  let known = new Map<string, ConfigState>();
  let counted = new Map<ConfigState, number>();

  async function stateOf({ tenantId, site }: AppliedSite): Promise<ConfigState> {
    const tenant = await tenants.find(tenantId);
    // Checked first: the proxy can't compare a site that was applied with other settings.
    const outdated = tenant !== undefined && sites.isOutdated(site, tenant);
    return outdated ? 'outdated' : proxy.state(site);
  }

  async function orphans(): Promise<FoundSite[]> {
    const found = await proxy.found();
    const paths = new Set((await rows.all()).map(({ site }) => pathOf(proxy, site)));
    // A site may have been removed since its file was found.
    return found.filter(({ tenant, path }) => !paths.has(path) && !deps.engine.isBusy(tenant.id));
  }

  /** The applied site if the proxy differs from it now: both may have changed since the last check. */
  async function drifted(tenantId: string): Promise<AppliedSite | undefined> {
    const applied = await rows.of(tenantId);
    return applied && (await proxy.state(applied.site)) !== 'in_sync' ? applied : undefined;
  }

  async function report({ tenantId, site }: AppliedSite, state: ConfigState): Promise<void> {
    const path = pathOf(proxy, site);
    const { slug } = site.tenant;
    await writeAuditLog({
      level: 'warning',
      category: 'system',
      topic: 'proxy',
      message: `The proxy’s configuration of ${slug} is ${state}: ${path}; POST /api/proxy/reload?repair=true repairs it`,
      tenant: { id: tenantId, slug },
      details: { state, path },
    });
  }

  return {
    stateOf,
    /** Files with the manager's header but without a site in service: of deleted tenants, or copies. */
    orphans,

    /** Checks all sites, logs each change once, and syncs outdated sites. */
    async check() {
      const now = new Map<string, ConfigState>();
      const counts = new Map<ConfigState, number>();
      for (const applied of await rows.all()) {
        const { tenantId } = applied;
        const state = await stateOf(applied);
        counts.set(state, (counts.get(state) ?? 0) + 1);
        if (state === 'in_sync') continue;
        now.set(tenantId, state);
        if (state === 'outdated') await deps.retrySync(tenantId);
        // Changes by a running operation are not reported.
        else if (known.get(tenantId) !== state && !deps.engine.isBusy(tenantId)) await report(applied, state);
      }
      const orphanCount = (await orphans()).length;
      if (orphanCount > 0) counts.set('orphan', orphanCount);
      known = now;
      counted = counts;
    },

    /** Applies every site again that is not as applied. */
    async repair(signal: AbortSignal) {
      const repaired: string[] = [];
      const failed: { slug: string; reason: string }[] = [];
      const broken: AppliedSite[] = [];
      for (const { tenantId } of await rows.all()) {
        const one = await drifted(tenantId).catch((error) => {
          failed.push({ slug: tenantId, reason: messageOf(error) });
          return undefined;
        });
        if (one) broken.push(one);
      }
      // Applied together, so that the proxy tests them together: if several files are broken, none passes alone.
      const together = createBarrier(broken.length);
      await Promise.all(
        broken.map(async ({ tenantId, site: { tenant } }) => {
          let leave = together.leave;
          try {
            await deps.engine.exclusive(tenantId, 'proxy repair', async () => {
              const applied = await drifted(tenantId);
              if (!applied) return;
              await sites.copyCertificates(applied.site);
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

export type Drift = ReturnType<typeof createDrift>;

/** A barrier: `arrive` resolves when all parties have arrived or left. */
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
