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
  /** Grows with each change. */
  revision: number;
}
