import type { Tenant } from '../tenants/tenants.ts';

/** The editable part of a tenant's configuration, with the API's field names. */
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
  /** Increases with each change. */
  revision: number;
}

const maxShortNameLength = 40;

/** The default configuration, derived from the tenant's name and domains. */
export function defaultConfig(tenant: Pick<Tenant, 'name' | 'slug' | 'domain' | 'apiDomain'>): ConfigFields {
  return {
    app_name: tenant.name,
    app_name_short: [...tenant.name].slice(0, maxShortNameLength).join('').trim(),
    project_name: tenant.slug,
    admin_email: `admin@${tenant.domain}`,
    frontend_url: `https://${tenant.domain}`,
    backend_api_url: `https://${tenant.apiDomain}`,
    ws_base_url: `wss://${tenant.apiDomain}`,
    local_embed_model: 'nomic-embed-text',
    local_llm_model: 'llama3.2',
    local_base_url: 'http://127.0.0.1:11434',
    custom_env: {},
  };
}

/** The fields that differ from the default. Only these are stored, so that the others keep following the tenant. */
export function withoutDefaults<Fields extends Partial<ConfigFields>>(
  fields: Fields,
  defaults: ConfigFields,
): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== defaults[name as keyof ConfigFields]),
  ) as Partial<Fields>;
}
