import { DataTypes, type Model, Op } from 'sequelize';
import type { CertificateFacts, CertificateSource } from '../../adapters/certificates/certificates.ts';
import type { Site } from '../../adapters/proxies/proxy.ts';
import { siteRecord } from '../../adapters/proxies/site-record.ts';
import { idType, instant, jsonColumn } from '../../adapters/store/columns.ts';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store } from '../../adapters/store/store.ts';

/** The site of a tenant that was applied at the proxy. */
export interface AppliedSite {
  tenantId: string;
  site: Site;
  appliedAt: Date;
  /** The authority of the last request, to which the following fields refer; null: no certificate was requested yet. */
  certificateAuthority: string | null;
  /** When a certificate is next to be obtained; null: none is wanted. */
  certificateDueAt: Date | null;
  /** Failed attempts in a row. */
  certificateFailures: number;
  certificateError: string | null;
  /** The earliest retry that the authority allows. */
  certificateRetryAt: Date | null;
  /** The last deployment requested no certificate (`skip_ssl`). */
  sslSkipped: boolean;
}

/** A certificate as it is kept. */
export interface CertificateRow extends CertificateFacts {
  id: string;
  tenantId: string;
  source: CertificateSource;
  /** Which authority of that source. */
  authority: string;
  /** Chain and private key, sealed. */
  sealed: string;
  createdAt: Date;
}

type SiteRow = Omit<AppliedSite, 'site'> & { domain: string; site: unknown };

interface AccountRow {
  directoryUrl: string;
  sealed: string;
  createdAt: Date;
}

/** The tables `proxy_sites`, `certificates` and `acme_accounts`. */
export function createProxyStore({ sequelize }: Store) {
  const sites = sequelize.define<Model<SiteRow, SiteRow>>(
    'ProxySite',
    {
      tenantId: { type: idType, primaryKey: true },
      domain: DataTypes.STRING(253),
      site: jsonColumn('site'),
      appliedAt: instant,
      certificateAuthority: DataTypes.TEXT,
      certificateDueAt: instant,
      certificateFailures: DataTypes.INTEGER,
      certificateError: DataTypes.TEXT,
      certificateRetryAt: instant,
      sslSkipped: DataTypes.BOOLEAN,
    },
    { tableName: 'proxy_sites' },
  );
  const certificates = sequelize.define<Model<CertificateRow, CertificateRow>>(
    'Certificate',
    {
      id: { type: idType, primaryKey: true },
      tenantId: idType,
      names: jsonColumn('names'),
      source: DataTypes.STRING(20),
      authority: DataTypes.TEXT,
      issuer: DataTypes.TEXT,
      fingerprint: DataTypes.STRING(64),
      notBefore: instant,
      notAfter: instant,
      sealed: DataTypes.TEXT,
      createdAt: instant,
    },
    { tableName: 'certificates' },
  );
  const accounts = sequelize.define<Model<AccountRow, AccountRow>>(
    'AcmeAccount',
    { directoryUrl: { type: DataTypes.STRING(255), primaryKey: true }, sealed: DataTypes.TEXT, createdAt: instant },
    { tableName: 'acme_accounts' },
  );
  return {
    async allSites(): Promise<AppliedSite[]> {
      return (await sites.findAll()).map((row) => appliedOf(row.get()));
    },

    async site(tenantId: string): Promise<AppliedSite | undefined> {
      const row = await sites.findByPk(tenantId);
      return row ? appliedOf(row.get()) : undefined;
    },

    /** Sites whose certificate is due, the longest due first. */
    async due(now: Date, limit: number): Promise<AppliedSite[]> {
      const where = { certificateDueAt: { [Op.lte]: now } };
      return (await sites.findAll({ where, order: [['certificateDueAt', 'ASC']], limit })).map((row) =>
        appliedOf(row.get()),
      );
    },

    /** @throws the error that `gone` returns if the tenant was deleted */
    async saveSite(applied: AppliedSite, gone: () => Error): Promise<void> {
      await refuseOrphan(sites.upsert({ ...applied, domain: applied.site.hosts.frontend.domain }), gone);
    },

    async removeSite(tenantId: string): Promise<void> {
      await sites.destroy({ where: { tenantId } });
    },

    /** The certificates of all tenants, without their keys. */
    async allCertificates(): Promise<Omit<CertificateRow, 'sealed'>[]> {
      return (await certificates.findAll({ attributes: { exclude: ['sealed'] } })).map((row) => row.get());
    },

    async sealedCertificate(tenantId: string, fingerprint: string): Promise<string | undefined> {
      const row = await certificates.findOne({ where: { tenantId, fingerprint }, attributes: ['sealed'] });
      return row?.get('sealed') as string | undefined;
    },

    /** Inserts a certificate or updates a known one. @throws the error that `gone` returns if the tenant was deleted */
    async saveCertificate(row: CertificateRow, gone: () => Error): Promise<void> {
      const { tenantId, fingerprint, createdAt, source, authority, sealed } = row;
      const known = await certificates.findOne({ where: { tenantId, fingerprint } });
      if (known) await known.update({ createdAt, source, authority, sealed });
      else await refuseOrphan(certificates.create(row), gone);
    },

    async removeCertificates(ids: readonly string[]): Promise<void> {
      await certificates.destroy({ where: { id: [...ids] } });
    },

    async account(directoryUrl: string): Promise<string | undefined> {
      return (await accounts.findByPk(directoryUrl))?.get('sealed') as string | undefined;
    },

    async saveAccount(row: AccountRow): Promise<void> {
      await accounts.upsert(row);
    },
  };
}

function appliedOf({ domain: _domain, site, ...row }: SiteRow): AppliedSite {
  return { ...row, site: siteRecord.parse(site) };
}

export type ProxyStore = ReturnType<typeof createProxyStore>;
