import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type ReverseProxy, type Site, siteRoles } from '../../../adapters/proxies/proxy.ts';
import { siteRecord } from '../../../adapters/proxies/site-record.ts';
import { poll } from '../../../lib/concurrency/poll.ts';
import { AppError } from '../../../lib/errors.ts';
import type { LiveRelease, Tenant } from '../../tenants/tenant.ts';
import type { CertificateIssuer } from '../certificates/issue-certificate.ts';
import { pathOf } from '../drift/rendering.ts';
import { domainsOf, fingerprintsOf } from '../site.ts';
import type { SiteManager, Work } from './site-manager.ts';
import type { SiteRegistry } from './site-registry.ts';

/** What a step that configures the proxy keeps in its operation's state: the site before it, null where there was none. */
export const proxyState = z.object({ siteBefore: siteRecord.nullable().optional() });
export type ProxyState = z.output<typeof proxyState>;

interface Context extends Work {
  readonly state: Readonly<ProxyState>;
  save(patch: ProxyState): Promise<void>;
}

/** The steps `Configure proxy` and `Setup SSL`, for every operation that has them, and what follows from changes outside of one. */
export interface SiteSteps {
  /** @param options.keepUpstreams a site in service goes on leading to the units that run, until `align`: those staged do not yet */
  configure(tenant: Tenant, context: Context, options?: { keepUpstreams?: boolean }): Promise<void>;
  /** The undo of both steps. */
  rollBack(tenant: Tenant, context: Context): Promise<void>;
  /** What the site before was served with is kept until the operation after this one, to go back to. */
  secure(tenant: Tenant, context: Context): Promise<{ skipped: string } | undefined>;
  /** Remembers a deployment's `skip_ssl` for what follows from changes outside of one. */
  chooseSsl(tenantId: string, choice: { skipped: boolean }): Promise<void>;
  /** @see SiteManager.prove */
  prove(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
  /** Lets a site that is in service lead to its tenant's units as they are now; nothing happens where it does already. */
  align(tenant: Tenant, work: Work): Promise<{ changed: boolean }>;
  /** The same after units were made anew (with other ports), and proves it, or puts the old one back. */
  follow(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
}

interface SiteStepsDeps {
  sites: SiteManager;
  register: Pick<SiteRegistry, 'sslSkipped'>;
  secure: CertificateIssuer;
  proxy: Pick<ReverseProxy, 'state' | 'found' | 'remove' | 'render'>;
  tenants: { find(id: string): Promise<Tenant | undefined> };
  /** Lets another tenant's site follow its host names. */
  sync(tenantId: string): Promise<boolean>;
}

/** A name that another tenant gave up a moment ago is waited for so long, in ms. */
const nameTimeoutMs = 30_000;

export function createSiteSteps({ sites, register, secure, proxy, tenants, sync }: SiteStepsDeps): SiteSteps {
  /** The register of tenants gives a name to one of them; the proxy may still serve the one that had it before. */
  async function namesFree(site: Site, { log, signal }: Work): Promise<void> {
    const holder = await sites.holderOfNames(site);
    if (!holder) return;
    const wanted = domainsOf(holder).filter((domain) => domainsOf(site).includes(domain));
    const told = `${wanted.join(' and ')} still served for ${holder.tenant.slug}, whose site has not followed its new host names`;
    log(`Waiting: ${told}`);
    await sync(holder.tenant.id);
    const free = async () => ((await sites.holderOfNames(site)) ? undefined : true);
    if (!(await poll(free, { timeoutMs: nameTimeoutMs, signal }))) throw new Error(told);
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
    // The file, too: a manager may have been killed between the proxy's change and its note of it.
    if (isDeepStrictEqual(site, before) && (await proxy.state(site)) === 'in_sync') return { changed: false };
    await sites.apply(site, work);
    return { changed: true };
  }

  return {
    async configure(tenant, context, { keepUpstreams = false } = {}) {
      // Run again after a crash, what was there first is what to go back to.
      if (context.state.siteBefore === undefined) await context.save({ siteBefore: await sites.inService(tenant.id) });
      const site = await sites.plan(tenant, { keepUpstreams });
      await namesFree(site, context);
      const { changed } = await applyOverOrphans(site, context);
      const names = `${site.hosts.frontend.domain} and ${site.hosts.api.domain}`;
      context.log(changed ? `${names} are served` : `${names} were served like this already`);
    },

    async rollBack(tenant, context) {
      if (context.state.siteBefore !== undefined) await sites.putBack(tenant, context.state.siteBefore, context);
    },

    secure(tenant, context) {
      const { siteBefore } = context.state;
      return secure.issue(tenant, context, { keep: siteBefore ? fingerprintsOf(siteBefore) : new Set() });
    },
    chooseSsl: (tenantId, { skipped }) => register.sslSkipped(tenantId, skipped),
    prove: sites.prove,

    align,

    async follow(tenant, release, work, timeoutMs) {
      const before = await sites.inService(tenant.id);
      if (!before || !(await align(tenant, work)).changed) return;
      try {
        await sites.prove(tenant, release, work, timeoutMs);
      } catch (error) {
        await sites.putBack(tenant, before, { log: work.log, signal: new AbortController().signal });
        throw error;
      }
    },
  };
}

interface OrphanClearingDeps {
  proxy: Pick<ReverseProxy, 'found' | 'remove' | 'render'>;
  tenants: { find(id: string): Promise<Tenant | undefined> };
}

/**
 * The sites that deleted tenants were to leave (`remove_proxy=false`) give their host names up to the tenant that has them now;
 * two sites with one name a proxy does not take.
 * @returns whether there was one
 */
async function clearOrphans(site: Site, { proxy, tenants }: OrphanClearingDeps, work: Work): Promise<boolean> {
  const wanted = new Set(domainsOf(site));
  let cleared = false;
  for (const { tenant, path, domains } of await proxy.found()) {
    const shared = siteRoles.map((role) => domains[role]).filter((domain) => wanted.has(domain));
    if (shared.length === 0 || tenant.id === site.tenant.id || (await tenants.find(tenant.id))) continue;
    // Removed by its slug: a copy by hand may lie elsewhere, and a new tenant of that slug has its site there.
    if (path !== pathOf(proxy, { tenant })) continue;
    work.log(`${shared.join(' and ')} was still served for ${tenant.slug}, which is deleted; that site goes`);
    await proxy.remove(tenant, work);
    cleared = true;
  }
  return cleared;
}
