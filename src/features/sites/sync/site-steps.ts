import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type ReverseProxy, type Site, siteRoles } from '../../../adapters/proxies/proxy.ts';
import { siteRecord } from '../../../adapters/proxies/site-record.ts';
import { poll } from '../../../lib/concurrency/poll.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError } from '../../../lib/errors.ts';
import type { LiveRelease, Tenant } from '../../tenants/tenant.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import type { CertificateIssuer } from '../certificates/issue-certificate.ts';
import { domainsOf, fingerprintsOf, pathOf } from '../site.ts';
import type { ProxyStore } from '../store.ts';
import type { SiteManager } from './site-manager.ts';

/** The site before an operation, saved in its state; null: none. */
export const proxyState = z.object({ siteBefore: siteRecord.nullable().optional() });
export type ProxyState = z.output<typeof proxyState>;

interface Context extends Work {
  readonly state: Readonly<ProxyState>;
  save(patch: ProxyState): Promise<void>;
}

/** How long to wait for a name that another tenant has just given up, in ms. */
const nameTimeoutMs = 30_000;

/** The steps `Configure proxy` and `Setup SSL`, shared by all operations, and updates of sites outside of operations. */
export function createSiteSteps({
  sites,
  rows,
  issuer,
  proxy,
  tenants,
  sync,
}: {
  sites: SiteManager;
  rows: Pick<ProxyStore, 'sslSkipped'>;
  issuer: CertificateIssuer;
  proxy: Pick<ReverseProxy, 'state' | 'found' | 'remove' | 'render'>;
  tenants: Pick<Tenants, 'find'>;
  /** Syncs another tenant's site with its host names. */
  sync(tenantId: string): Promise<boolean>;
}) {
  /** Waits until the proxy no longer serves these names for a tenant that had them before. */
  async function waitForNames(site: Site, { log, signal }: Work): Promise<void> {
    const holder = await sites.holderOfNames(site);
    if (!holder) return;
    const wanted = domainsOf(holder).filter((domain) => domainsOf(site).includes(domain));
    const reason = `${wanted.join(' and ')} still served for ${holder.tenant.slug}, whose site does not have its new host names yet`;
    log(`Waiting: ${reason}`);
    await sync(holder.tenant.id);
    const free = async () => ((await sites.holderOfNames(site)) ? undefined : true);
    if (!(await poll(free, { timeoutMs: nameTimeoutMs, signal }))) throw new Error(reason);
  }

  async function applyOverOrphans(site: Site, work: Work): Promise<{ changed: boolean }> {
    try {
      return await sites.apply(site, work);
    } catch (error) {
      work.signal.throwIfAborted();
      if (error instanceof AppError || !(await clearOrphans(site, { proxy, tenants }, work))) throw error;
      return sites.apply(site, work);
    }
  }

  async function align(tenant: Tenant, work: Work): Promise<{ changed: boolean }> {
    const before = await sites.inService(tenant.id);
    if (!before) return { changed: false };
    const site = await sites.plan(tenant);
    // Checks the file, too: the manager may have been killed before it saved the change.
    if (isDeepStrictEqual(site, before) && (await proxy.state(site)) === 'in_sync') return { changed: false };
    await sites.apply(site, work);
    return { changed: true };
  }

  /** Saves the site in service for a rollback; if the step runs again after a crash, the first saved one counts. */
  async function remember(tenant: Tenant, context: Context): Promise<void> {
    if (context.state.siteBefore === undefined) await context.save({ siteBefore: await sites.inService(tenant.id) });
  }

  return {
    remember,

    /** @param options.keepUpstreams keep the upstreams of a site in service until `align`, because staged units do not run yet */
    async configure(tenant: Tenant, context: Context, { keepUpstreams = false }: { keepUpstreams?: boolean } = {}) {
      await remember(tenant, context);
      const site = await sites.plan(tenant, { keepUpstreams });
      await waitForNames(site, context);
      const { changed } = await applyOverOrphans(site, context);
      const names = `${site.hosts.frontend.domain} and ${site.hosts.api.domain}`;
      context.log(changed ? `${names} are served` : `${names}: no change`);
    },

    /** The undo of both steps. */
    async rollBack(tenant: Tenant, context: Context) {
      if (context.state.siteBefore !== undefined) await sites.rollBack(tenant, context.state.siteBefore, context);
    },

    /** Keeps the previous certificates until the next operation, for a rollback. */
    secure(tenant: Tenant, context: Context) {
      const { siteBefore } = context.state;
      return issuer.issue(tenant, context, { keep: siteBefore ? fingerprintsOf(siteBefore) : new Set() });
    },
    /** Saves a deployment's `skip_ssl` for later updates of the site. */
    chooseSsl: (tenantId: string, { skipped }: { skipped: boolean }) => rows.sslSkipped(tenantId, skipped),
    /** @see SiteManager.prove */
    prove: sites.prove,

    /** Updates the upstreams of a site in service to its tenant's current units. */
    align,

    /** Like `align` after units were recreated (with other ports), and proves the site or rolls it back. */
    async follow(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number) {
      const before = await sites.inService(tenant.id);
      if (!before || !(await align(tenant, work)).changed) return;
      try {
        await sites.prove(tenant, release, work, timeoutMs);
      } catch (error) {
        await sites.rollBack(tenant, before, { log: work.log, signal: new AbortController().signal });
        throw error;
      }
    },
  };
}

export type SiteSteps = ReturnType<typeof createSiteSteps>;

/**
 * Removes sites of deleted tenants (`remove_proxy=false`) that have the same host names: a proxy rejects two sites with one name.
 * @returns whether there was one
 */
async function clearOrphans(
  site: Site,
  {
    proxy,
    tenants,
  }: {
    proxy: Pick<ReverseProxy, 'found' | 'remove' | 'render'>;
    tenants: Pick<Tenants, 'find'>;
  },
  work: Work,
): Promise<boolean> {
  const wanted = new Set(domainsOf(site));
  let cleared = false;
  for (const { tenant, path, domains } of await proxy.found()) {
    const shared = siteRoles.map((role) => domains[role]).filter((domain) => wanted.has(domain));
    if (shared.length === 0 || tenant.id === site.tenant.id || (await tenants.find(tenant.id))) continue;
    // Removal is by slug: skip manual copies elsewhere, because a new tenant with that slug may have its site there.
    if (path !== pathOf(proxy, { tenant })) continue;
    work.log(`${shared.join(' and ')} was still served for the deleted tenant ${tenant.slug}; removing that site`);
    await proxy.remove(tenant, work);
    cleared = true;
  }
  return cleared;
}
