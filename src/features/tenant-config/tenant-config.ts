import type { Clock } from '../../kernel/clock.ts';
import type { SecretBox } from '../../kernel/secret-box.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Store } from '../../platform/store/store.ts';
import type { TenantService } from '../tenants/service.ts';
import type { Tenant } from '../tenants/tenant.ts';
import type { EnvironmentFacts, TenantConfigService } from './service.ts';

/** Theme colours as the environment holds them, `#RRGGBB`. */
export interface ThemeColours {
  primary: string;
  secondary: string;
  accent: string;
  text: string;
  sidebar: string;
}

export interface TenantConfigDeps {
  store: Store;
  clock: Clock;
  journal: WriteJournal;
  secretBox: SecretBox;
  tenants: Pick<TenantService, 'get'>;
  /** The key all tenants share (TENANT_APP_API_KEY); undefined: each has its own. */
  sharedApiKey: string | undefined;
  colours(tenantId: string): Promise<ThemeColours>;
  /** What regenerate-env needs to know about what is deployed. */
  facts(tenant: Tenant): Promise<EnvironmentFacts>;
}

export interface TenantConfigs extends TenantConfigService {
  routes: Route[];
}

export declare function createTenantConfigs(deps: TenantConfigDeps): TenantConfigs;
