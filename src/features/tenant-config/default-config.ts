import type { Tenant } from '../tenants/tenant.ts';
import type { ConfigFields } from './config-fields.ts';

const shortNameLength = 40;

/** What a tenant's configuration says where nobody changed it: it follows the tenant's name and domains. */
export function defaultConfig(tenant: Pick<Tenant, 'name' | 'slug' | 'domain' | 'apiDomain'>): ConfigFields {
  return {
    app_name: tenant.name,
    app_name_short: [...tenant.name].slice(0, shortNameLength).join('').trim(),
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

/** The fields that differ from the default: only these are kept, so that the others go on following the tenant. */
export function withoutDefaults<Fields extends Partial<ConfigFields>>(
  fields: Fields,
  defaults: ConfigFields,
): Partial<Fields> {
  return Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== defaults[name as keyof ConfigFields]),
  ) as Partial<Fields>;
}
