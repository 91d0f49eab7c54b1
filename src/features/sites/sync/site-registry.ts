import { isDeepStrictEqual } from 'node:util';
import type { Site } from '../../../adapters/proxies/proxy.ts';
import { notFound } from '../../../lib/errors.ts';
import { domainsOf } from '../site.ts';
import type { AppliedSite, ProxyStore } from '../store.ts';

/**
 * The sites in service, kept in memory beside the store: a sweep asks for every tenant's, and a change of names looks through
 * all of them. One manager at a time holds the data directory, so nobody else writes them.
 */
export interface SiteRegistry {
  of(tenantId: string): Promise<AppliedSite | undefined>;
  all(): Promise<AppliedSite[]>;
  /** Notes what is in service now; what is known of its certificate stays, but for failures with other host names. @throws AppError not_found where the tenant is gone */
  applied(site: Site, at: Date): Promise<void>;
  /** Notes how it stands with a site's certificate; without a site nothing happens. */
  certificate(tenantId: string, facts: CertificateProgress): Promise<void>;
  /** Notes whether the tenant is to have a certificate; without a site nothing happens. */
  sslSkipped(tenantId: string, sslSkipped: boolean): Promise<void>;
  remove(tenantId: string): Promise<void>;
  /** The tenant is gone, and its row with it. */
  forget(tenantId: string): void;
}

export type CertificateProgress = Pick<
  AppliedSite,
  'certificateAuthority' | 'certificateDueAt' | 'certificateFailures' | 'certificateError' | 'certificateRetryAt'
>;

export const noCertificateYet: CertificateProgress = {
  certificateAuthority: null,
  certificateDueAt: null,
  certificateFailures: 0,
  certificateError: null,
  certificateRetryAt: null,
};

/**
 * How it stands with a site's certificate when another site is put into service. Attempts for other host names say nothing of
 * these; and what was noted for another certificate (a site that was put back has its former one) is looked at anew.
 */
function progressAfter(before: AppliedSite, site: Site, at: Date): CertificateProgress {
  const { certificateAuthority, certificateDueAt, certificateFailures, certificateError, certificateRetryAt } = before;
  const due = certificateDueAt && !isDeepStrictEqual(tlsOf(before.site), tlsOf(site)) ? at : certificateDueAt;
  const isSame = isDeepStrictEqual(domainsOf(before.site), domainsOf(site));
  const attempts = isSame ? { certificateFailures, certificateError, certificateRetryAt } : {};
  return { ...noCertificateYet, ...attempts, certificateAuthority, certificateDueAt: due };
}

const tlsOf = ({ hosts }: Site) => [hosts.frontend.tls, hosts.api.tls];

/** @param there whether there is a proxy: without one nothing is in service, and what was is kept for when there is one again */
export function createSiteRegistry(store: ProxyStore, there: boolean): SiteRegistry {
  let cached: Promise<Map<string, AppliedSite>> | undefined;

  async function load(): Promise<Map<string, AppliedSite>> {
    if (!there) return new Map();
    if (cached) return cached;
    const loading = store.allSites().then((all) => new Map(all.map((applied) => [applied.tenantId, applied])));
    cached = loading;
    // A store that was away for a moment is asked again.
    loading.catch(() => {
      cached = undefined;
    });
    return loading;
  }

  async function save(applied: AppliedSite): Promise<void> {
    const sites = await load();
    await store.saveSite(applied, () => notFound('tenant', applied.tenantId));
    sites.set(applied.tenantId, applied);
  }

  return {
    of: async (tenantId) => (await load()).get(tenantId),
    all: async () => [...(await load()).values()],
    async applied(site, at) {
      const before = (await load()).get(site.tenant.id);
      const known = before ? progressAfter(before, site, at) : noCertificateYet;
      const { sslSkipped = false } = before ?? {};
      await save({ ...known, tenantId: site.tenant.id, site, appliedAt: at, sslSkipped });
    },
    async certificate(tenantId, facts) {
      const before = (await load()).get(tenantId);
      if (before) await save({ ...before, ...facts });
    },
    async sslSkipped(tenantId, sslSkipped) {
      const before = (await load()).get(tenantId);
      if (before && before.sslSkipped !== sslSkipped) await save({ ...before, sslSkipped });
    },
    async remove(tenantId) {
      await store.removeSite(tenantId);
      (await load()).delete(tenantId);
    },
    forget: (tenantId) => void cached?.then((sites) => sites.delete(tenantId)).catch(() => undefined),
  };
}
