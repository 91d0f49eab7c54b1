import { type AccountsDeps, createAccounts } from '../../features/accounts/accounts.ts';
import type { Settings } from '../../features/settings/settings.ts';
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
}) {
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
