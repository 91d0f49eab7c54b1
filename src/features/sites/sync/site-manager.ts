import { type ReverseProxy, type Site, type SiteTls, siteRoles } from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { poll } from '../../../lib/concurrency/poll.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { LiveRelease, Tenant } from '../../tenants/tenant.ts';
import type { CertificateStore } from '../certificates/certificate-store.ts';
import { type CertificateOrigin, chooseTls } from '../certificates/choose-certificate.ts';
import { domainsOf, fingerprintsOf, planSite, servesNamesOf, type UpstreamsOf, upstreamsAt, withTls } from '../site.ts';
import type { ProxyStore } from '../store.ts';
import type { ChangeNote } from './last-change.ts';

/** Time limit of one probe through the proxy, in ms. */
const probeTimeoutMs = 5_000;

/** Plans, applies, rolls back and proves tenants' sites at the reverse proxy. */
export function createSiteManager(
  deps: CertificateOrigin & {
    proxy: ReverseProxy;
    rows: ProxyStore;
    certificateStore: CertificateStore;
    upstreamsOf: UpstreamsOf;
    hstsDays(): Promise<number>;
    note: ChangeNote;
    clock: Clock;
  },
) {
  const { proxy, rows, certificateStore, clock } = deps;

  const inService = async (tenantId: string): Promise<Site | null> => (await rows.of(tenantId))?.site ?? null;

  async function copyCertificates(site: Site): Promise<void> {
    for (const fingerprint of fingerprintsOf(site)) {
      const certificate = await certificateStore.open(site.tenant.id, fingerprint);
      if (!certificate)
        throw new Error(`The certificate ${fingerprint.slice(0, 12)}… of ${site.tenant.slug} is not in the store`);
      const { chain, privateKey } = certificate;
      await proxy.putCertificate(site.tenant, { fingerprint, chain, privateKey });
    }
  }

  const putIntoService = (site: Site, work: Work): Promise<{ changed: boolean }> =>
    deps.note.noting(site.tenant, work, (noted) => proxy.apply(site, noted));

  async function apply(site: Site, work: Work): Promise<{ changed: boolean }> {
    await copyCertificates(site);
    const restore = await rows.applying(site, clock.now());
    try {
      return await putIntoService(site, work);
    } catch (error) {
      // After an abort the undo says which site there should be.
      if (!work.signal.aborted) await restore();
      throw error;
    }
  }

  /** @see chooseTls */
  async function tlsBy(
    tenantId: string,
    before: Site | null,
    refresh: boolean,
  ): Promise<(domain: string) => SiteTls | null> {
    const { authority, resolver } = deps;
    return chooseTls({
      before,
      certificates: await certificateStore.of(tenantId),
      authority,
      resolver,
      now: clock.now(),
      refresh,
    });
  }

  /** An earlier site with available certificates: a missing one is replaced or dropped. */
  const withAvailableTls = async (site: Site): Promise<Site> => withTls(site, await tlsBy(site.tenant.id, site, false));

  const isPossible = (tls: SiteTls | null): boolean =>
    tls === null || (tls.kind === 'resolver' ? deps.resolver : deps.authority !== undefined);

  async function remove({ id, slug }: Tenant, work: Work): Promise<boolean> {
    const { removed } = await proxy.remove({ id, slug }, work);
    await rows.remove(id);
    return removed;
  }

  return {
    /**
     * The site a tenant should have.
     * @param options.refreshTls choose the best certificates; otherwise names in service keep theirs
     * @param options.keepUpstreams keep the upstreams of a site in service
     */
    async plan(
      tenant: Tenant,
      { refreshTls = false, keepUpstreams = false }: { refreshTls?: boolean; keepUpstreams?: boolean } = {},
    ) {
      const before = await inService(tenant.id);
      const tlsOf = await tlsBy(tenant.id, before, refreshTls);
      const upstreams = before && keepUpstreams ? upstreamsAt(before) : await deps.upstreamsOf(tenant);
      const { hasFrontProxies } = proxy;
      return planSite({ tenant, tlsOf, upstreams, hstsDays: await deps.hstsDays(), hasFrontProxies });
    },

    /** Saves a site and puts it with its certificates into service; keeps the saved one if the proxy refuses it. */
    apply,
    /** Copies a site's certificates to the proxy. */
    copyCertificates,
    /** Puts a saved site into service; calls the proxy synchronously, so that concurrent calls share its test. */
    putIntoService,
    /** The site in service, from its row. */
    inService,

    /** Whether the tenant's host names, the source of certificates or the front proxies changed since a site was applied. */
    isOutdated: (site: Site, tenant: Tenant) =>
      !servesNamesOf(site, tenant) ||
      (site.isBehindFront === true) !== proxy.hasFrontProxies ||
      !siteRoles.every((role) => isPossible(site.hosts[role].tls)),

    /** Another tenant's site that still serves one of this site's host names. */
    async holderOfNames(site: Site) {
      const wanted = new Set(domainsOf(site));
      const others = (await rows.all()).filter(({ tenantId }) => tenantId !== site.tenant.id);
      return others.find((other) => domainsOf(other.site).some((domain) => wanted.has(domain)))?.site;
    },

    /** Rolls back to an earlier site, or to none. */
    async rollBack(tenant: Tenant, before: Site | null, work: Work) {
      if (!before) {
        await remove(tenant, work);
        return;
      }
      const site = await withAvailableTls(before);
      await rows.applying(site, clock.now());
      try {
        await copyCertificates(site);
        await putIntoService(site, work);
      } catch (error) {
        if ((await proxy.state(site)) !== 'in_sync') throw error;
        work.log(`The proxy does not answer; its configuration is as it was: ${messageOf(error)}`);
      }
    },

    remove,

    /** Resolves when both hosts answer through the proxy, or at once without a site. @throws Error with the last problem after `timeoutMs` */
    async prove(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number) {
      const site = await inService(tenant.id);
      if (!site) return;
      let last = 'no answer';
      const probe = async (): Promise<true | undefined> => {
        for (const role of siteRoles) {
          const path = release.units[role].health;
          const host = site.hosts[role];
          const answer = await proxy.probe(host, path, { timeoutMs: probeTimeoutMs, signal: work.signal });
          if (answer.status === 'up') continue;
          last = `${host.domain}${path}: ${answer.error ?? 'down'}`;
          return undefined;
        }
        return true;
      };
      if (await poll(probe, { timeoutMs, intervalMs: 200, signal: work.signal })) {
        work.log(`Both host names answer through the proxy`);
        return;
      }
      throw new Error(`${tenant.slug} is not reached through the proxy: ${last}`);
    },
  };
}

export type SiteManager = ReturnType<typeof createSiteManager>;
