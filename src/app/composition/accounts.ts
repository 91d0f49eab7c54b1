import { type Accounts, type AccountsDeps, createAccounts, createSetup } from '../../features/accounts/accounts.ts';
import type { Settings } from '../../features/settings/settings.ts';
import type { Tenants } from '../../features/tenants/tenants.ts';
import type { Config } from '../config/config.ts';

/** Users, their sessions and tokens, as the environment and the settings say; and what their first administrator has to set up. */
export function composeAccounts({
  store,
  clock,
  logger,
  writeAuditLog,
  secretKey,
  bcryptCost,
  config,
  settings,
  tenants,
}: Pick<AccountsDeps, 'store' | 'clock' | 'logger' | 'writeAuditLog' | 'secretKey' | 'bcryptCost'> & {
  config: Config;
  settings: Pick<Settings, 'read'>;
  tenants: Pick<Tenants, 'counts'>;
}): Accounts {
  const accounts = createAccounts({
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
  const servesCertificates = config.PROXY !== 'none' && config.CERTIFICATES !== 'none';
  const setup = createSetup({ accounts, settings, tenants, servesCertificates });
  return { ...accounts, routes: [...accounts.routes, ...setup.routes] };
}
