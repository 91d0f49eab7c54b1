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
  type RowOf,
  text,
} from '../../adapters/store/table.ts';

const siteColumns = {
  tenantId: key(id),
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
  sslSkipped: flag,
};
type SiteRow = RowOf<typeof siteColumns>;
/** The site of a tenant that was applied at the proxy. */
export type AppliedSite = Omit<SiteRow, 'domain' | 'site'> & { site: Site };

const certificateColumns = {
  id: key(id),
  tenantId: id,
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
/** A certificate as it is kept. */
export type CertificateRow = RowOf<typeof certificateColumns>;
const { sealed: _sealed, ...facts } = certificateColumns;

const accountColumns = { directoryUrl: key(text(255)), sealed: text(), createdAt: instant };

/** The tables `proxy_sites`, `certificates` and `acme_accounts`. */
export function createProxyStore(store: Store) {
  const sites = defineTable(store, 'proxy_sites', siteColumns);
  const certificates = defineTable(store, 'certificates', certificateColumns);
  const accounts = defineTable(store, 'acme_accounts', accountColumns);
  return {
    allSites: async (): Promise<AppliedSite[]> => (await sites.all()).map(appliedOf),

    async site(tenantId: string): Promise<AppliedSite | undefined> {
      const row = await sites.find({ tenantId });
      return row ? appliedOf(row) : undefined;
    },

    /** Sites whose certificate is due, the longest due first. */
    async due(now: Date, limit: number): Promise<AppliedSite[]> {
      const where = { certificateDueAt: { [Op.lte]: now } };
      return (await sites.all({ where, order: [['certificateDueAt', 'ASC']], limit })).map(appliedOf);
    },

    /** @throws the error that `gone` returns if the tenant was deleted */
    saveSite: (applied: AppliedSite, gone: () => Error) =>
      refuseOrphan(sites.upsert({ ...applied, domain: applied.site.hosts.frontend.domain }), gone),

    async removeSite(tenantId: string): Promise<void> {
      await sites.remove({ tenantId });
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
