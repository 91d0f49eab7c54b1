import { type Accounts, type AccountsDeps, createAccounts, createSetup } from '../../features/accounts/accounts.ts';
import type { Notifications } from '../../features/notifications/notifications.ts';
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
  config,
  accounts,
  notifications,
  settings,
  tenants,
}: {
  config: Config;
  accounts: Accounts;
  notifications: Notifications;
  settings: Pick<Settings, 'read'>;
  tenants: Pick<Tenants, 'counts'>;
}): { routes: Route[] } {
  const servesCertificates = config.PROXY !== 'none' && config.CERTIFICATES !== 'none';
  return createSetup({ accounts, settings, tenants, notifications, servesCertificates });
}
