import type { ConfigFields } from './config-fields.ts';

/** The theme colours in the environment, as `#RRGGBB`. */
export interface EnvironmentColours {
  primary: string;
  secondary: string;
  accent: string;
  text: string;
  sidebar: string;
}

/** Facts about the deployment that the environment contains. */
export interface EnvironmentFacts {
  /** null: the application has no database (yet); the entry is omitted. */
  databaseUrl: string | null;
  /** IMPORT_DIR as the units see it. */
  importDirectory: string;
  /** The tag; null if a branch or nothing is deployed. */
  version: string | null;
  commit: string | null;
}

interface EnvironmentParts {
  slug: string;
  config: ConfigFields;
  colours: EnvironmentColours;
  /** `THEME_LOGO_…`, each a `data:` URL. */
  logos: Readonly<Record<string, string>>;
  secrets: { apiKey: string; secretKey: string };
  facts: EnvironmentFacts;
}

/**
 * The environment that both units of a tenant share, in the order of the tenant contract. The runtime adds PORT and HOST for
 * each unit. Entries of `custom_env` come last and override the others.
 */
export function tenantEnvironment({
  slug,
  config,
  colours,
  logos,
  secrets,
  facts,
}: EnvironmentParts): Record<string, string> {
  return {
    TENANT_SLUG: slug,
    APP_NAME: config.app_name,
    APP_NAME_SHORT: config.app_name_short,
    PROJECT_NAME: config.project_name,
    ADMIN_EMAIL: config.admin_email,
    FRONTEND_URL: config.frontend_url,
    BACKEND_API_URL: config.backend_api_url,
    WS_BASE_URL: config.ws_base_url,
    LOCAL_EMBED_MODEL: config.local_embed_model,
    LOCAL_LLM_MODEL: config.local_llm_model,
    LOCAL_BASE_URL: config.local_base_url,
    ...(facts.databaseUrl === null ? {} : { DATABASE_URL: facts.databaseUrl }),
    API_KEYS: secrets.apiKey,
    SECRET_KEY: secrets.secretKey,
    IMPORT_DIR: facts.importDirectory,
    THEME_PRIMARY_COLOR: colours.primary,
    THEME_SECONDARY_COLOR: colours.secondary,
    THEME_ACCENT_COLOR: colours.accent,
    THEME_TEXT_COLOR: colours.text,
    THEME_SIDEBAR_COLOR: colours.sidebar,
    ...logos,
    // A branch has no version.
    APP_VERSION: facts.version ?? '',
    APP_COMMIT: facts.commit ?? '',
    ...config.custom_env,
  };
}
