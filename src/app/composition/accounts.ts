import type { Store } from '../../adapters/store/store.ts';
import { type Accounts, type AccountsDeps, createAccounts, createSetup } from '../../features/accounts/accounts.ts';
import type { Notifications } from '../../features/notifications/notifications.ts';
import { createPreflightStore } from '../../features/preflight/store.ts';
import type { Settings } from '../../features/settings/settings.ts';
import type { Tenants } from '../../features/tenants/tenants.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Config } from '../config/config.ts';

/** Users, their sessions and tokens, as the environment and the settings say. */
export function composeAccounts({
  store,
  clock,
  logger,
  writeAuditLog,
  secretKey,
  bcryptCost,
  config,
  settings,
}: Pick<AccountsDeps, 'store' | 'clock' | 'logger' | 'writeAuditLog' | 'secretKey' | 'bcryptCost'> & {
  config: Config;
  settings: Pick<Settings, 'read'>;
}): Accounts {
  return createAccounts({
    store,
    clock,
    logger,
    writeAuditLog,
    secretKey,
    bcryptCost,
    accessTokenTtl: config.ACCESS_TOKEN_TTL,
    sessionIdleMinutes: () => settings.read('session_idle_minutes'),
    apiTokenMaxDays: () => settings.read('api_token_max_days'),
    origins: config.DASHBOARD_ORIGIN,
  });
}

/** What administrators of a new installation have to set up. */
export function composeSetup({
  store,
  config,
  accounts,
  notifications,
  settings,
  tenants,
}: {
  store: Store;
  config: Config;
  accounts: Accounts;
  notifications: Notifications;
  settings: Pick<Settings, 'read'>;
  tenants: Pick<Tenants, 'counts'>;
}): { routes: Route[] } {
  const servesCertificates = config.PROXY !== 'none' && config.CERTIFICATES !== 'none';
  const lastPreflight = createPreflightStore(store).latest;
  return createSetup({ accounts, settings, tenants, notifications, servesCertificates, lastPreflight });
}
