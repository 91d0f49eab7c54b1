import { isDeepStrictEqual } from 'node:util';
import type { Site } from '../../../adapters/proxies/proxy.ts';
import { notFound } from '../../../lib/errors.ts';
import { domainsOf } from '../site.ts';
import type { AppliedSite, ProxyStore } from '../store.ts';

/**
 * The sites in service: rows of the store, without a copy in memory. The proxy's files derive from them: a row is written before
 * its file and removed after it, so that after a crash `align`, a sync or a repair makes the file match.
 */
export interface SiteRegistry {
  of(tenantId: string): Promise<AppliedSite | undefined>;
  all(): Promise<AppliedSite[]>;
  /**
   * Saves a site that is about to be applied; keeps the certificate's progress unless the host names changed.
   * @returns restores the row from before
   * @throws AppError not_found if the tenant was deleted
   */
  applying(site: Site, at: Date): Promise<() => Promise<void>>;
  /** Saves the progress of a site's certificate; does nothing without a site. */
  certificate(tenantId: string, facts: CertificateProgress): Promise<void>;
  /** Saves whether the tenant skips certificates; does nothing without a site. */
  sslSkipped(tenantId: string, sslSkipped: boolean): Promise<void>;
  remove(tenantId: string): Promise<void>;
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
  const of: SiteRegistry['of'] = async (tenantId) => (hasProxy ? store.site(tenantId) : undefined);
  const save = (applied: AppliedSite): Promise<void> =>
    store.saveSite(applied, () => notFound('tenant', applied.tenantId));

  return {
    of,
    all: async () => (hasProxy ? store.allSites() : []),
    async applying(site, at) {
      const tenantId = site.tenant.id;
      const before = await of(tenantId);
      if (isDeepStrictEqual(before?.site, site)) return async () => undefined;
      const known = before ? progressAfter(before, site, at) : noCertificateYet;
      await save({ ...known, tenantId, site, appliedAt: at, sslSkipped: before?.sslSkipped ?? false });
      return () => (before ? save(before) : store.removeSite(tenantId));
    },
    async certificate(tenantId, facts) {
      const before = await of(tenantId);
      if (before) await save({ ...before, ...facts });
    },
    async sslSkipped(tenantId, sslSkipped) {
      const before = await of(tenantId);
      if (before && before.sslSkipped !== sslSkipped) await save({ ...before, sslSkipped });
    },
    remove: (tenantId) => store.removeSite(tenantId),
  };
}
