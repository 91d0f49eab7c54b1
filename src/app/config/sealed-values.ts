import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { Store } from '../../adapters/store/store.ts';
import { channelContext } from '../../features/notifications/channels/channels.ts';
import type { BulkInput } from '../../features/services/bulk/bulk-operation.ts';
import { isSettingKey, settingDefinitions } from '../../features/settings/definitions.ts';
import { settingContext } from '../../features/settings/service.ts';
import { accountContext } from '../../features/sites/certificates/acme-account-store.ts';
import { certificateContext } from '../../features/sites/certificates/certificate-store.ts';
import { bulkValuesContext } from '../../features/tenant-config/bulk-values.ts';
import { customEnvContext } from '../../features/tenant-config/sealed-custom-env.ts';
import { secretsContext } from '../../features/tenant-config/service.ts';
import { repositoryContext } from '../../features/tenants/repository/repository-secrets.ts';
import { newSecret } from '../../lib/ids.ts';
import type { SecretBox } from '../../lib/secret-box.ts';

/** A value of the store that the key in use can't open. */
interface UnreadableValue {
  /** What it was, and what its user has to do. */
  lost: string;
  /** Clears it, or puts a new one in its place. */
  clear(): Promise<void>;
}

type Row = Record<string, string>;

/** A column that holds sealed values. */
interface SealedColumn {
  /** Selects `sealed` and what the other functions need. */
  sql: string;
  /** The value within `sealed`, if that is more than the value. */
  within?(sealed: string): string | undefined;
  context(row: Row): string;
  lost(row: Row): string;
  clear(row: Row): Promise<[sql: string, values: unknown[]]>;
}

const sealedColumns = (secretBox: SecretBox): SealedColumn[] => [
  {
    sql: 'SELECT `key` AS name, value AS sealed FROM settings',
    context: ({ name = '' }) => settingContext(name),
    lost: ({ name }) => `Setting ${name}: set it again`,
    clear: async ({ name }) => ["UPDATE settings SET value = '' WHERE `key` = ?", [name]],
  },
  {
    sql: 'SELECT id, slug, git_repo AS shown, git_repo_sealed AS sealed FROM tenants',
    context: ({ id = '' }) => repositoryContext(id),
    lost: ({ slug }) => `Tenant ${slug}: set git_repo again, with its credentials`,
    clear: async ({ id, shown = '' }) => [
      'UPDATE tenants SET git_repo = ?, git_repo_sealed = NULL WHERE id = ?',
      [shown.replace(/^(https?):\/\/[^/]*@/i, '$1://').replace(':***@', '@'), id],
    ],
  },
  {
    sql: 'SELECT c.tenant_id AS id, t.slug AS slug, c.custom_env AS sealed FROM tenant_configs c JOIN tenants t ON t.id = c.tenant_id',
    context: ({ id = '' }) => customEnvContext(id),
    lost: ({ slug }) => `Tenant ${slug}: set custom_env again (the last values are in the .env file of its directory)`,
    clear: async ({ id }) => ['UPDATE tenant_configs SET custom_env = NULL WHERE tenant_id = ?', [id]],
  },
  {
    sql: 'SELECT r.id AS id, r.tenant_id AS tenant, r.revision AS revision, t.slug AS slug, r.custom_env AS sealed FROM tenant_config_revisions r JOIN tenants t ON t.id = r.tenant_id',
    context: ({ tenant = '' }) => customEnvContext(tenant),
    lost: ({ slug, revision }) => `Tenant ${slug}: revision ${revision} of its configuration`,
    clear: async ({ id }) => ['DELETE FROM tenant_config_revisions WHERE id = ?', [id]],
  },
  {
    sql: 'SELECT c.tenant_id AS id, t.slug AS slug, t.directory AS directory, c.secrets AS sealed FROM tenant_configs c JOIN tenants t ON t.id = c.tenant_id',
    context: ({ id = '' }) => secretsContext(id),
    lost: ({ slug }) =>
      `Tenant ${slug}: its own keys are taken from its .env file, or new where there is none: deploy it again`,
    clear: async ({ id = '', directory = '' }) => [
      'UPDATE tenant_configs SET secrets = ? WHERE tenant_id = ?',
      [secretBox.seal(JSON.stringify(await secretsIn(directory)), secretsContext(id)), id],
    ],
  },
  {
    sql: 'SELECT c.id AS id, c.tenant_id AS tenant, c.fingerprint AS fingerprint, t.slug AS slug, c.sealed AS sealed FROM certificates c JOIN tenants t ON t.id = c.tenant_id',
    context: ({ tenant = '', fingerprint = '' }) => certificateContext(tenant, fingerprint),
    lost: ({ slug }) => `Tenant ${slug}: a certificate, which is obtained again`,
    clear: async ({ id }) => ['DELETE FROM certificates WHERE id = ?', [id]],
  },
  {
    sql: 'SELECT directory_url AS url, sealed FROM acme_accounts',
    context: ({ url = '' }) => accountContext(url),
    lost: ({ url }) => `The account at ${url}: a new one is made`,
    clear: async ({ url }) => ['DELETE FROM acme_accounts WHERE directory_url = ?', [url]],
  },
  {
    sql: 'SELECT id, name AS channel, secrets AS sealed FROM notification_channels',
    context: ({ id = '' }) => channelContext(id),
    lost: ({ channel }) => `Notification channel ${channel}: enter its secrets again`,
    clear: async ({ id }) => ["UPDATE notification_channels SET secrets = '' WHERE id = ?", [id]],
  },
  {
    sql: 'SELECT id, record AS sealed FROM bulk_operations WHERE INSTR(record, \'"sealed"\') > 0',
    within: (record) => configOf(JSON.parse(record))?.sealed,
    context: () => bulkValuesContext,
    lost: ({ id }) => `Bulk operation ${id}: start a new one with its values, if some of its tenants still need them`,
    clear: async ({ id, sealed = '' }) => {
      const record = JSON.parse(sealed);
      Object.assign(configOf(record) ?? {}, { sealed: '' });
      return ['UPDATE bulk_operations SET record = ? WHERE id = ?', [JSON.stringify(record), id]];
    },
  },
];

/** The values of a bulk operation that changes configurations. */
const configOf = (record: { input?: Partial<BulkInput> }) => record.input?.parameters?.config;

/** The values of the store that the key can't open. */
export async function unreadableValues(store: Store, secretBox: SecretBox): Promise<UnreadableValue[]> {
  const found: UnreadableValue[] = [];
  for (const { sql, within = (sealed: string) => sealed, context, lost, clear } of sealedColumns(secretBox)) {
    for (const row of await store.select<Row>(sql, {})) {
      const sealed = within(row.sealed ?? '');
      if (!sealed || isPlainSetting(row) || opens(secretBox, sealed, context(row))) continue;
      found.push({
        lost: lost(row),
        async clear() {
          const [change, replacements] = await clear(row);
          await store.sequelize.query(change, { replacements });
        },
      });
    }
  }
  return found;
}

const isPlainSetting = ({ name }: Row): boolean =>
  name !== undefined && !(isSettingKey(name) && 'secret' in settingDefinitions[name]);

function opens(secretBox: SecretBox, sealed: string, context: string): boolean {
  try {
    secretBox.open(sealed, context);
    return true;
  } catch {
    return false;
  }
}

/** A tenant's own keys as its environment file has them, so that its database and its callers still accept them. */
async function secretsIn(directory: string) {
  const environment = parseEnv(await readFile(join(directory, '.env'), 'utf8').catch(() => ''));
  const password = URL.parse(environment.DATABASE_URL ?? '')?.password;
  return {
    apiKey: environment.API_KEYS || newSecret(),
    secretKey: environment.SECRET_KEY || newSecret(),
    databasePassword: password ? decodeURIComponent(password) : newSecret(24),
  };
}
