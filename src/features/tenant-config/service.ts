import { parseEnv } from 'node:util';
import { z } from 'zod';
import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { writing } from '../../lib/files/disk-full-error.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { newId, newSecret } from '../../lib/ids.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { SecretMask } from '../../lib/text/secret-mask.ts';
import type { Tenant, Tenants } from '../tenants/tenants.ts';
import { type ConfigChange, changesOf, configEntry } from './audit.ts';
import { createValueSealer, type GivenValues, type SealedValues } from './bulk-values.ts';
import { type ConfigFields, defaultConfig, type TenantConfig, withoutDefaults } from './config-fields.ts';
import { restoreHiddenValues } from './custom-env.ts';
import { renderEnvFile } from './env-file.ts';
import { type OnBackup, readEnvFile, restoreEnvFile, writeEnvFile } from './env-store.ts';
import { type EnvironmentColours, type EnvironmentFacts, tenantEnvironment } from './environment.ts';
import { type ConfigRevision, createConfigHistory } from './history.ts';
import { createCustomEnvSealer } from './sealed-custom-env.ts';
import type { ConfigRow, ConfigStore, RevisionStore } from './store.ts';

/** A tenant's own secrets, which never change. */
interface TenantSecrets {
  /** The manager's X-API-Key: the shared key of all tenants if one is configured, else the tenant's own. */
  apiKey: string;
  secretKey: string;
  databasePassword: string;
}

interface WrittenEnvFile {
  path: string;
  /** The backup of the previous file; null if there was none. */
  backup: string | null;
  /** Entries that the file format cannot represent; the units still get them in their environment. */
  omitted: string[];
}

/** Tenants' configurations, and the environment files made from them. */
export interface TenantConfigs {
  /** Creates a new tenant's configuration and secrets, in the transaction that creates the tenant. */
  createFor(tenant: Tenant, transaction: Transaction): Promise<void>;
  /** @throws AppError not_found */
  get(tenantId: string): Promise<TenantConfig>;
  /**
   * Changes the given fields; replaces `custom_env` completely, but keeps values that are sent back hidden.
   * @param revision the revision that the change is based on; undefined: any
   * @throws AppError not_found; validation_error for a hidden value without a stored one; invalid_state for an outdated revision
   */
  update(tenantId: string, changes: Partial<ConfigFields>, actor: Actor, revision?: number): Promise<TenantConfig>;
  /** Its last changes, newest first. @throws AppError not_found */
  history(tenantId: string, paging: Paging): Promise<Page<ConfigRevision>>;
  /**
   * Gives all fields the values that they had in an earlier revision.
   * @param revision the revision that the change is based on; undefined: any
   * @throws AppError not_found; invalid_state for an outdated revision
   */
  revert(tenantId: string, to: number, actor: Actor, revision?: number): Promise<TenantConfig>;
  /** What `update` would change. @throws like `update` */
  plan(tenantId: string, changes: Partial<ConfigFields>, revision?: number): Promise<ConfigChange[]>;
  /** Values for many tenants, for the journal of operations. */
  sealValues(values: GivenValues): SealedValues;
  /** @throws AppError invalid_state for values that were lost with the key */
  openValues(sealed: SealedValues): GivenValues;
  /** Never log the result. @throws AppError not_found */
  secretsOf(tenantId: string): Promise<TenantSecrets>;
  /** The environment that both units share, in the order of the tenant contract; the runtime adds PORT and HOST. */
  environmentOf(tenant: Tenant, facts: EnvironmentFacts): Promise<Record<string, string>>;
  /** Atomically writes `.env` (0600) into the tenant's directory and keeps the previous file as a backup. */
  writeEnvFile(
    tenant: Tenant,
    environment: Readonly<Record<string, string>>,
    onBackup?: OnBackup,
  ): Promise<WrittenEnvFile>;
  /** How an environment differs from the tenant's `.env`; undefined when there is no such file. */
  compareEnvironment(
    tenant: Tenant,
    environment: Readonly<Record<string, string>>,
  ): Promise<EnvironmentChanges | undefined>;
  /** The environment that was written last, which the units have; undefined before the first deployment. */
  writtenEnvironment(tenant: Tenant): Promise<Record<string, string | undefined> | undefined>;
  /** The mask of its present and former secrets, for all that its programs print. Ask again for later text. */
  maskOf(tenant: Pick<Tenant, 'id' | 'directory'>): Promise<SecretMask>;
  /** Undoes `writeEnvFile`. */
  restoreEnvFile(written: Pick<WrittenEnvFile, 'path' | 'backup'>): Promise<void>;
}

/** Names of variables. */
export interface EnvironmentChanges {
  added: string[];
  changed: string[];
  removed: string[];
}

export interface TenantConfigDeps {
  store: Store;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  secretBox: SecretBox;
  tenants: Pick<Tenants, 'get'>;
  /** The key that all tenants share (TENANT_APP_API_KEY); undefined: each tenant has its own. */
  sharedApiKey: string | undefined;
  themes: {
    colours(tenantId: string): Promise<EnvironmentColours>;
    /** The entries for the existing logos. */
    logoEntries(tenantId: string): Promise<Record<string, string>>;
  };
}

const storedSecrets = z.object({ apiKey: z.string(), secretKey: z.string(), databasePassword: z.string() });
/** Of those used last; another one is made again. */
const maxMasks = 1_000;
/** Binds sealed secrets to their tenant (additional authenticated data). */
export const secretsContext = (tenantId: string): string => `tenant:${tenantId}:secrets`;

export function createConfigService(
  rows: ConfigStore,
  revisions: RevisionStore,
  deps: TenantConfigDeps,
): TenantConfigs {
  const { store, clock, writeAuditLog, secretBox, tenants, sharedApiKey, themes } = deps;
  const envFiles = new KeyedLock();
  const customEnv = createCustomEnvSealer(secretBox);
  const sealer = createValueSealer(secretBox);
  const masks = new Map<string, Promise<SecretMask>>();

  const configOf = (row: ConfigRow, tenant: Tenant): TenantConfig => ({
    id: row.id,
    tenant_id: row.tenantId,
    revision: row.revision,
    ...defaultConfig(tenant),
    ...row.fields,
    custom_env: customEnv.open(row),
  });

  const history = createConfigHistory(revisions, async (tenantId, kept) => {
    const defaults = defaultConfig(await tenants.get(tenantId));
    return kept.map((row) => ({ ...defaults, ...row.fields, custom_env: customEnv.open(row) }));
  });

  async function rowOf(tenantId: string, transaction?: Transaction): Promise<ConfigRow> {
    const row = await rows.find({ tenantId }, transaction);
    if (!row) throw notFound('tenant', tenantId);
    return row;
  }

  const openSecrets = ({ tenantId, secrets }: ConfigRow): TenantSecrets =>
    storedSecrets.parse(JSON.parse(secretBox.open(secrets, secretsContext(tenantId))));

  async function secretsOf(tenantId: string): Promise<TenantSecrets> {
    const secrets = openSecrets(await rowOf(tenantId));
    return { ...secrets, apiKey: sharedApiKey ?? secrets.apiKey };
  }

  async function createMask({ id, directory }: Pick<Tenant, 'id' | 'directory'>): Promise<SecretMask> {
    const mask = new SecretMask({ API_KEYS: sharedApiKey });
    mask.add(parseEnv((await readEnvFile(directory)) ?? ''));
    // What is left of a deleted tenant has no row.
    const row = await rows.find({ tenantId: id });
    if (!row) return mask;
    const { apiKey, secretKey, databasePassword } = openSecrets(row);
    mask.add({ API_KEYS: apiKey, SECRET_KEY: secretKey, DATABASE_PASSWORD: databasePassword });
    // Units that have not restarted since a change have the former values.
    for (const { customEnv: sealed } of [row, ...(await revisions.all({ where: { tenantId: id } }))])
      mask.add(customEnv.open({ tenantId: id, customEnv: sealed }));
    return mask;
  }

  const maskOf: TenantConfigs['maskOf'] = (tenant) => {
    const mask = masks.get(tenant.id) ?? createMask(tenant);
    masks.delete(tenant.id);
    masks.set(tenant.id, mask);
    mask.catch(() => masks.get(tenant.id) === mask && masks.delete(tenant.id));
    for (const id of masks.keys()) if (masks.size > maxMasks) masks.delete(id);
    return mask;
  };

  const update: TenantConfigs['update'] = async (tenantId, changes, actor, revision) => {
    const tenant = await tenants.get(tenantId);
    const [before, after] = await store.transaction(async (transaction) => {
      await store.lock(`tenant-config:${tenantId}`, transaction);
      const row = await rowOf(tenantId, transaction);
      const current = configOf(row, tenant);
      assertRevision(current, revision);
      const { id, tenant_id, revision: _, ...fields } = applyChanges(current, changes);
      const { custom_env, ...plain } = fields;
      const next = changesOf(current, { ...current, ...fields }).length > 0 ? current.revision + 1 : current.revision;
      const columns = {
        fields: withoutDefaults(plain, defaultConfig(tenant)),
        customEnv: customEnv.seal(tenantId, custom_env),
        revision: next,
      };
      await rows.update(columns, { tenantId }, transaction);
      const change = { username: actor.username, at: clock.now() };
      if (next > current.revision) await history.record(row, columns, change, transaction);
      return [current, { id, tenant_id, revision: next, ...fields }] as const;
    });
    (await masks.get(tenantId)?.catch(() => undefined))?.add(after.custom_env);
    const entry = configEntry(tenant, before, { ...after, revision: before.revision } as TenantConfig, actor);
    if (entry) await writeAuditLog(entry);
    return after;
  };

  return {
    async createFor(tenant, transaction) {
      const secrets: TenantSecrets = { apiKey: newSecret(), secretKey: newSecret(), databasePassword: newSecret(24) };
      const sealed = secretBox.seal(JSON.stringify(secrets), secretsContext(tenant.id));
      await rows.insert(
        { id: newId(), tenantId: tenant.id, fields: {}, customEnv: null, secrets: sealed, revision: 1 },
        transaction,
      );
    },

    async get(tenantId) {
      return configOf(await rowOf(tenantId), await tenants.get(tenantId));
    },

    update,

    async history(tenantId, paging) {
      await tenants.get(tenantId);
      return history.list(tenantId, paging);
    },

    revert: async (tenantId, to, actor, revision) =>
      update(tenantId, await history.fieldsAt(tenantId, to), actor, revision),

    async plan(tenantId, changes, revision) {
      const current = configOf(await rowOf(tenantId), await tenants.get(tenantId));
      assertRevision(current, revision);
      return changesOf(current, applyChanges(current, changes));
    },

    secretsOf,
    sealValues: sealer.seal,
    openValues: sealer.open,

    async environmentOf(tenant, facts) {
      return tenantEnvironment({
        slug: tenant.slug,
        config: configOf(await rowOf(tenant.id), tenant),
        colours: await themes.colours(tenant.id),
        logos: await themes.logoEntries(tenant.id),
        secrets: await secretsOf(tenant.id),
        facts,
      });
    },

    async writeEnvFile(tenant, environment, onBackup) {
      const { content, omitted } = renderEnvFile(environment);
      const written = await envFiles.run(tenant.directory, () =>
        writing('the environment file', () => writeEnvFile(tenant.directory, content, clock.now(), onBackup)),
      );
      return { ...written, omitted };
    },

    async compareEnvironment(tenant, environment) {
      const text = await readEnvFile(tenant.directory);
      if (text === undefined) return undefined;
      const before = parseEnv(text);
      const after = parseEnv(renderEnvFile(environment).content);
      return {
        added: Object.keys(after).filter((name) => !Object.hasOwn(before, name)),
        changed: Object.keys(after).filter((name) => Object.hasOwn(before, name) && before[name] !== after[name]),
        removed: Object.keys(before).filter((name) => !Object.hasOwn(after, name)),
      };
    },

    async writtenEnvironment({ directory }) {
      const text = await readEnvFile(directory);
      return text === undefined ? undefined : parseEnv(text);
    },

    maskOf,
    restoreEnvFile,
  };
}

function assertRevision({ revision }: TenantConfig, expected: number | undefined): void {
  if (expected !== undefined && expected !== revision)
    throw new AppError(
      'invalid_state',
      `The configuration has changed since it was read (revision ${expected}, now ${revision}). Read it again, then repeat the change.`,
    );
}

function applyChanges(current: TenantConfig, changes: Partial<ConfigFields>): TenantConfig {
  const custom = changes.custom_env && { custom_env: restoreHiddenValues(changes.custom_env, current.custom_env) };
  return { ...current, ...changes, ...custom };
}
