import type { Actor } from '../../platform/events/journal-entry.ts';
import type { Transaction } from '../../platform/store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';

/** The editable part of a tenant's configuration; the names are the wire's. */
export interface ConfigFields {
  app_name: string;
  app_name_short: string;
  project_name: string;
  admin_email: string;
  frontend_url: string;
  backend_api_url: string;
  ws_base_url: string;
  local_embed_model: string;
  local_llm_model: string;
  local_base_url: string;
  custom_env: Record<string, string>;
}

export interface TenantConfig extends ConfigFields {
  id: string;
  tenant_id: string;
}

/** A tenant's own secrets, kept for its life. */
export interface TenantSecrets {
  /** What the manager presents as X-API-Key: TENANT_APP_API_KEY where that is set, else the tenant's own. */
  apiKey: string;
  secretKey: string;
  databasePassword: string;
}

/** What the environment says beyond configuration, theme and secrets. */
export interface EnvironmentFacts {
  /** null: the application uses no database, or has none yet; the entry is left out. */
  databaseUrl: string | null;
  /** IMPORT_DIR as the units see it. */
  importDirectory: string;
  /** The tag; null where a branch's head is deployed or nothing is. */
  version: string | null;
  commit: string | null;
}

export interface WrittenEnvFile {
  path: string;
  /** Where the previous file is kept; null where there was none. */
  backup: string | null;
  /** Entries the file format cannot hold; the units get them all the same, by their own environment. */
  leftOut: string[];
}

export interface TenantConfigService {
  /** Makes a new tenant's configuration and secrets: one of the companions of `createTenants`. */
  createFor(tenant: Tenant, transaction: Transaction): Promise<void>;
  /** @throws AppError not_found */
  get(tenantId: string): Promise<TenantConfig>;
  /** @throws AppError not_found, validation_error */
  update(tenantId: string, changes: Partial<ConfigFields>, actor: Actor): Promise<TenantConfig>;
  /** Never to be logged. @throws AppError not_found */
  secretsOf(tenantId: string): Promise<TenantSecrets>;
  /** The environment both units share, in the order of the tenant contract; PORT and HOST come from the runtime. */
  environmentOf(tenant: Tenant, facts: EnvironmentFacts): Promise<Record<string, string>>;
  /** Writes `.env` (0600) into the tenant's directory in one move and keeps the previous one beside it. */
  writeEnvFile(tenant: Tenant, environment: Readonly<Record<string, string>>): Promise<WrittenEnvFile>;
}
