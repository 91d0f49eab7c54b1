import { isDeepStrictEqual } from 'node:util';
import { Op } from 'sequelize';
import type { CertificateSource } from '../../adapters/certificates/certificates.ts';
import type { Site } from '../../adapters/proxies/proxy.ts';
import { siteRecord } from '../../adapters/proxies/site-record.ts';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store } from '../../adapters/store/store.ts';
import {
  defineTable,
  flag,
  id,
  instant,
  integer,
  json,
  key,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  text,
  withDefault,
} from '../../adapters/store/table.ts';
import { notFound } from '../../lib/errors.ts';
import { domainsOf } from './site.ts';

const siteColumns = {
  tenantId: key(ownedBy('tenants')),
  domain: text(253),
  site: json<unknown>(),
  appliedAt: instant,
  /** The authority of the last request, to which the following fields refer; null: no certificate was requested yet. */
  certificateAuthority: orNull(text()),
  /** When a certificate is next to be obtained; null: none is wanted. */
  certificateDueAt: orNull(instant),
  /** Failed attempts in a row. */
  certificateFailures: integer,
  certificateError: orNull(text()),
  /** The earliest retry that the authority allows. */
  certificateRetryAt: orNull(instant),
  /** The last deployment requested no certificate (`skip_ssl`). */
  sslSkipped: withDefault(0, flag),
};
export const proxySitesTable = defineTable('proxy_sites', siteColumns, { indexes: [['domain'], ['certificateDueAt']] });
type SiteRow = RowOf<typeof siteColumns>;
/** The site of a tenant that was applied at the proxy. */
export type AppliedSite = Omit<SiteRow, 'domain' | 'site'> & { site: Site };

const certificateColumns = {
  id: key(id),
  tenantId: ownedBy('tenants'),
  names: json<string[]>(),
  source: text<CertificateSource>(20),
  /** Which authority of that source. */
  authority: text(),
  issuer: text(),
  fingerprint: text(64),
  notBefore: instant,
  notAfter: instant,
  /** Chain and private key, sealed. */
  sealed: text(),
  createdAt: instant,
};
export const certificatesTable = defineTable('certificates', certificateColumns, {
  unique: [['tenantId', 'fingerprint']],
});
/** A certificate as it is kept. */
export type CertificateRow = RowOf<typeof certificateColumns>;
const { sealed: _sealed, ...facts } = certificateColumns;

const accountColumns = { directoryUrl: key(text(255)), sealed: text(), createdAt: instant };
export const acmeAccountsTable = defineTable('acme_accounts', accountColumns);

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

/**
 * The tables `proxy_sites`, `certificates` and `acme_accounts`. The rows of sites say which are in service; the proxy's files
 * derive from them: a row is written before its file and removed after it, so that after a crash `align`, a sync or a repair
 * makes the file match.
 * @param hasProxy without a proxy, no site is in service; saved sites stay for when there is a proxy again
 */
export function createProxyStore(store: Store, hasProxy: boolean) {
  const sites = tableIn(store, proxySitesTable);
  const certificates = tableIn(store, certificatesTable);
  const accounts = tableIn(store, acmeAccountsTable);
  const of = async (tenantId: string): Promise<AppliedSite | undefined> => {
    const row = hasProxy ? await sites.find({ tenantId }) : undefined;
    return row && appliedOf(row);
  };
  const save = (applied: AppliedSite): Promise<void> =>
    refuseOrphan(sites.upsert({ ...applied, domain: applied.site.hosts.frontend.domain }), () =>
      notFound('tenant', applied.tenantId),
    );
  const remove = async (tenantId: string): Promise<void> => {
    await sites.remove({ tenantId });
  };

  return {
    of,
    all: async (): Promise<AppliedSite[]> => (hasProxy ? (await sites.all()).map(appliedOf) : []),

    /**
     * Saves a site that is about to be applied; keeps the certificate's progress unless the host names changed.
     * @returns restores the row from before
     * @throws AppError not_found if the tenant was deleted
     */
    async applying(site: Site, at: Date): Promise<() => Promise<void>> {
      const tenantId = site.tenant.id;
      const before = await of(tenantId);
      if (isDeepStrictEqual(before?.site, site)) return async () => undefined;
      const known = before ? progressAfter(before, site, at) : noCertificateYet;
      await save({ ...known, tenantId, site, appliedAt: at, sslSkipped: before?.sslSkipped ?? false });
      return () => (before ? save(before) : remove(tenantId));
    },

    /** Saves the progress of a site's certificate; does nothing without a site. */
    async certificate(tenantId: string, facts: CertificateProgress): Promise<void> {
      const before = await of(tenantId);
      if (before) await save({ ...before, ...facts });
    },

    /** Saves whether the tenant skips certificates; does nothing without a site. */
    async sslSkipped(tenantId: string, sslSkipped: boolean): Promise<void> {
      const before = await of(tenantId);
      if (before && before.sslSkipped !== sslSkipped) await save({ ...before, sslSkipped });
    },

    remove,

    /** Sites whose certificate is due, the longest due first. */
    async due(now: Date, limit: number): Promise<AppliedSite[]> {
      const where = { certificateDueAt: { [Op.lte]: now } };
      return (await sites.all({ where, order: [['certificateDueAt', 'ASC']], limit })).map(appliedOf);
    },

    /** The certificates of all tenants, without their keys. */
    allCertificates: (): Promise<Omit<CertificateRow, 'sealed'>[]> =>
      certificates.all({ only: Object.keys(facts) as (keyof typeof facts)[] }),

    sealedCertificate: async (tenantId: string, fingerprint: string): Promise<string | undefined> =>
      (await certificates.find({ tenantId, fingerprint }))?.sealed,

    /** Inserts a certificate or updates a known one. @throws the error that `gone` returns if the tenant was deleted */
    async saveCertificate(row: CertificateRow, gone: () => Error): Promise<void> {
      const { tenantId, fingerprint, createdAt, source, authority, sealed } = row;
      const known = await certificates.find({ tenantId, fingerprint });
      if (known) await certificates.update({ createdAt, source, authority, sealed }, { id: known.id });
      else await refuseOrphan(certificates.insert(row), gone);
    },

    removeCertificates: (ids: readonly string[]) => certificates.remove({ id: [...ids] }),

    account: async (directoryUrl: string): Promise<string | undefined> =>
      (await accounts.find({ directoryUrl }))?.sealed,

    saveAccount: accounts.upsert,
  };
}

const appliedOf = ({ domain: _domain, site, ...row }: SiteRow): AppliedSite => ({
  ...row,
  site: siteRecord.parse(site),
});

export type ProxyStore = ReturnType<typeof createProxyStore>;
