import { isDeepStrictEqual } from 'node:util';
import {
  type ReverseProxy,
  type Site,
  type SiteHost,
  type SiteRole,
  type SiteTls,
  siteRoles,
} from '../../../adapters/proxies/proxy.ts';
import type { Clock } from '../../../lib/clock.ts';
import { poll } from '../../../lib/concurrency/poll.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { LiveRelease, Tenant } from '../../tenants/tenant.ts';
import type { CertificateStore } from '../certificates/certificate-store.ts';
import { type CertificateOrigin, chooseTls } from '../certificates/choose-certificate.ts';
import { domainsOf, fingerprintsOf, planSite, servesNamesOf, upstreamsAt, withTls } from '../site.ts';
import type { ChangeNote } from './last-change.ts';
import type { SiteRegistry } from './site-registry.ts';

export interface Work {
  log(line: string): void;
  signal: AbortSignal;
}

export interface SiteManagerDeps extends CertificateOrigin {
  proxy: ReverseProxy;
  register: SiteRegistry;
  vault: CertificateStore;
  /** Where the proxy reaches the tenant's units. */
  upstreamsOf(tenant: Tenant): Promise<Record<SiteRole, SiteHost['upstream']>>;
  hstsDays(): Promise<number>;
  note: ChangeNote;
  clock: Clock;
}

/** How long one look through the proxy may take, in ms. */
const lookTimeoutMs = 5_000;

/** Tenants' sites at the reverse proxy: planned from what is known, applied, put back, proven. */
export interface SiteManager {
  /**
   * The site a tenant should have.
   * @param options.anew with the best certificates there are; left out: names that are in service keep what they have
   * @param options.keepUpstreams a site in service goes on leading to where it does
   */
  plan(tenant: Tenant, options?: { anew?: boolean; keepUpstreams?: boolean }): Promise<Site>;
  /** Puts a site into service, with its certificates, and notes it. */
  apply(site: Site, work: Work): Promise<{ changed: boolean }>;
  /** The first half of `apply`: lays a site's certificates at the proxy. */
  layCertificates(site: Site): Promise<void>;
  /** The second half; the proxy is asked before anything is waited for, so that calls of one moment share its test. */
  putIntoService(site: Site, work: Work): Promise<{ changed: boolean }>;
  /** Whether a site in service is no longer what its tenant, or the way certificates are had now, asks for. */
  isOutdated(site: Site, tenant: Tenant): boolean;
  /** Of another tenant, a site that still serves one of this one's host names. */
  holderOfNames(site: Site): Promise<Site | undefined>;
  /** The site in service, as noted. */
  inService(tenantId: string): Promise<Site | null>;
  /** Goes back to an earlier site, or to none. */
  putBack(tenant: Tenant, before: Site | null, work: Work): Promise<void>;
  remove(tenant: Tenant, work: Work): Promise<boolean>;
  /** Resolves when both hosts answer through the proxy (at once where there is no site); throws what was seen last when `timeoutMs` is up. */
  prove(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
}

export function createSiteManager(deps: SiteManagerDeps): SiteManager {
  const { proxy, register, vault, clock } = deps;

  const inService = async (tenantId: string): Promise<Site | null> => (await register.of(tenantId))?.site ?? null;

  async function layCertificates(site: Site): Promise<void> {
    for (const fingerprint of fingerprintsOf(site)) {
      const certificate = await vault.open(site.tenant.id, fingerprint);
      if (!certificate)
        throw new Error(`The certificate ${fingerprint.slice(0, 12)}… of ${site.tenant.slug} is not kept`);
      const { chain, privateKey } = certificate;
      await proxy.putCertificate(site.tenant, { fingerprint, chain, privateKey });
    }
  }

  async function putIntoService(site: Site, work: Work): Promise<{ changed: boolean }> {
    const applied = await deps.note.noting(site.tenant, work, (noted) => proxy.apply(site, noted));
    const known = await inService(site.tenant.id);
    if (!known || !isDeepStrictEqual(known, site)) await register.applied(site, clock.now());
    return applied;
  }

  async function apply(site: Site, work: Work): Promise<{ changed: boolean }> {
    await layCertificates(site);
    return putIntoService(site, work);
  }

  /** @see chooseTls */
  async function tlsBy(
    tenantId: string,
    before: Site | null,
    anew: boolean,
  ): Promise<(domain: string) => SiteTls | null> {
    const { authority, resolver } = deps;
    return chooseTls({ before, certificates: await vault.of(tenantId), authority, resolver, now: clock.now(), anew });
  }

  /** An earlier site as it can be had now: one whose certificate is gone gets another, or none. */
  const stillPossible = async (site: Site): Promise<Site> => withTls(site, await tlsBy(site.tenant.id, site, false));

  const isPossible = (tls: SiteTls | null): boolean =>
    tls === null || (tls.kind === 'resolver' ? deps.resolver : deps.authority !== undefined);

  async function remove({ id, slug }: Tenant, work: Work): Promise<boolean> {
    const { removed } = await proxy.remove({ id, slug }, work);
    await register.remove(id);
    return removed;
  }

  return {
    async plan(tenant, { anew = false, keepUpstreams = false } = {}) {
      const before = await inService(tenant.id);
      const tlsOf = await tlsBy(tenant.id, before, anew);
      const upstreams = before && keepUpstreams ? upstreamsAt(before) : await deps.upstreamsOf(tenant);
      return planSite({ tenant, tlsOf, upstreams, hstsDays: await deps.hstsDays() });
    },

    apply,
    layCertificates,
    putIntoService,
    inService,

    isOutdated: (site, tenant) =>
      !servesNamesOf(site, tenant) || !siteRoles.every((role) => isPossible(site.hosts[role].tls)),

    async holderOfNames(site) {
      const wanted = new Set(domainsOf(site));
      const others = (await register.all()).filter(({ tenantId }) => tenantId !== site.tenant.id);
      return others.find((other) => domainsOf(other.site).some((domain) => wanted.has(domain)))?.site;
    },

    async putBack(tenant, before, work) {
      if (!before) {
        await remove(tenant, work);
        return;
      }
      const site = await stillPossible(before);
      try {
        await apply(site, work);
      } catch (error) {
        const untouched =
          isDeepStrictEqual(await inService(tenant.id), site) && (await proxy.state(site)) === 'in_sync';
        if (!untouched) throw error;
        work.log(`The proxy does not answer; its configuration is as it was: ${messageOf(error)}`);
      }
    },

    remove,

    async prove(tenant, release, work, timeoutMs) {
      const site = await inService(tenant.id);
      if (!site) return;
      let last = 'no answer';
      const look = async (): Promise<true | undefined> => {
        for (const role of siteRoles) {
          const path = release.units[role].health;
          const host = site.hosts[role];
          const answer = await proxy.probe(host, path, { timeoutMs: lookTimeoutMs, signal: work.signal });
          if (answer.status === 'up') continue;
          last = `${host.domain}${path}: ${answer.error ?? 'down'}`;
          return undefined;
        }
        return true;
      };
      if (await poll(look, { timeoutMs, intervalMs: 200, signal: work.signal })) {
        work.log(`Both host names answer through the proxy`);
        return;
      }
      throw new Error(`${tenant.slug} is not reached through the proxy: ${last}`);
    },
  };
}
