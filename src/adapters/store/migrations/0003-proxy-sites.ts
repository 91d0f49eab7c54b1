import { DataTypes, type ModelAttributes } from 'sequelize';
import { instant } from '../columns.ts';
import { buildTables, type Index, id, type Migration, required, short, tenantId, text } from './build.ts';

const tables: Record<string, ModelAttributes> = {
  /** The sites in service at the reverse proxy, one row per tenant. */
  proxy_sites: {
    tenant_id: { ...tenantId, primaryKey: true },
    /** For ordering lists. */
    domain: required(DataTypes.STRING(253)),
    site: required(text),
    applied_at: required(instant),
    /** The authority of the last certificate; null: none was requested yet. The following columns concern that authority. */
    certificate_authority: text,
    /** When a certificate is next to be obtained: first, again, or in another's place; null: none is wanted. */
    certificate_due_at: instant,
    /** Consecutive failed attempts. */
    certificate_failures: required(DataTypes.INTEGER),
    certificate_error: text,
    /** The authority asks to wait until then. */
    certificate_retry_at: instant,
  },
  certificates: {
    id,
    tenant_id: tenantId,
    names: required(text),
    source: required(DataTypes.STRING(20)),
    /** Which authority of that source. */
    authority: required(text),
    issuer: required(text),
    fingerprint: required(DataTypes.STRING(64)),
    not_before: required(instant),
    not_after: required(instant),
    /** Chain and private key, encrypted. */
    sealed: required(text),
    created_at: required(instant),
  },
  /** Accounts at certificate authorities, by the address of their directory. */
  acme_accounts: {
    directory_url: { type: short, primaryKey: true, allowNull: false },
    /** Key and address of the account, encrypted. */
    sealed: required(text),
    created_at: required(instant),
  },
};

const indexes: Index[] = [
  ['proxy_sites', ['domain']],
  ['proxy_sites', ['certificate_due_at']],
  ['certificates', ['tenant_id', 'fingerprint'], 'unique'],
];

export const proxySites: Migration = {
  name: '0003-proxy-sites',
  up: (schema) => buildTables(schema, tables, indexes),
};
