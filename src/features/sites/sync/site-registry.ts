import { isDeepStrictEqual } from 'node:util';
import type { Site } from '../../../adapters/proxies/proxy.ts';
import { notFound } from '../../../lib/errors.ts';
import { domainsOf } from '../site.ts';
import type { AppliedSite, ProxyStore } from '../store.ts';

/**
 * The sites in service, cached in memory for sweeps and searches by host name. Only one manager at a time holds the data
 * directory, so no other process writes them.
 */
export interface SiteRegistry {
  of(tenantId: string): Promise<AppliedSite | undefined>;
  all(): Promise<AppliedSite[]>;
  /** Saves the applied site; keeps the certificate's progress unless the host names changed. @throws AppError not_found if the tenant was deleted */
  applied(site: Site, at: Date): Promise<void>;
  /** Saves the progress of a site's certificate; does nothing without a site. */
  certificate(tenantId: string, facts: CertificateProgress): Promise<void>;
  /** Saves whether the tenant skips certificates; does nothing without a site. */
  sslSkipped(tenantId: string, sslSkipped: boolean): Promise<void>;
  remove(tenantId: string): Promise<void>;
  /** Clears the cache of a deleted tenant. */
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
 * The certificate's progress after another site was applied. Attempts for other host names don't count, and a site with another
 * certificate (after a rollback, for example) is checked at once.
 */
function progressAfter(before: AppliedSite, site: Site, at: Date): CertificateProgress {
  const { certificateAuthority, certificateDueAt, certificateFailures, certificateError, certificateRetryAt } = before;
  const due = certificateDueAt && !isDeepStrictEqual(tlsOf(before.site), tlsOf(site)) ? at : certificateDueAt;
  const isSame = isDeepStrictEqual(domainsOf(before.site), domainsOf(site));
  const attempts = isSame ? { certificateFailures, certificateError, certificateRetryAt } : {};
  return { ...noCertificateYet, ...attempts, certificateAuthority, certificateDueAt: due };
}

const tlsOf = ({ hosts }: Site) => [hosts.frontend.tls, hosts.api.tls];

/** @param hasProxy without a proxy, no site is in service; saved sites stay for when there is a proxy again */
export function createSiteRegistry(store: ProxyStore, hasProxy: boolean): SiteRegistry {
  let cached: Promise<Map<string, AppliedSite>> | undefined;

  async function load(): Promise<Map<string, AppliedSite>> {
    if (!hasProxy) return new Map();
    if (cached) return cached;
    const loading = store.allSites().then((all) => new Map(all.map((applied) => [applied.tenantId, applied])));
    cached = loading;
    // The next call retries after a failed query.
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
