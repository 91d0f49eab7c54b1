import type { Config } from './queries.ts';

export type FieldName = Exclude<keyof Config, 'id' | 'tenant_id' | 'custom_env' | 'revision'>;

interface FieldForm {
  name: FieldName;
  type?: 'email' | 'url';
}

/** The fields in the order and groups in which they are shown. */
export const groups: Record<'names' | 'addresses' | 'model', readonly FieldForm[]> = {
  names: [
    { name: 'app_name' },
    { name: 'app_name_short' },
    { name: 'project_name' },
    { name: 'admin_email', type: 'email' },
  ],
  addresses: [
    { name: 'frontend_url', type: 'url' },
    { name: 'backend_api_url', type: 'url' },
    { name: 'ws_base_url', type: 'url' },
  ],
  model: [{ name: 'local_base_url', type: 'url' }, { name: 'local_llm_model' }, { name: 'local_embed_model' }],
};

export const groupNames = Object.keys(groups) as (keyof typeof groups)[];

export const fieldNames: readonly FieldName[] = groupNames.flatMap((group) => groups[group].map(({ name }) => name));
