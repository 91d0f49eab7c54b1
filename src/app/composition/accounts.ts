import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Store } from '../../adapters/store/store.ts';
import { createAccounts } from '../../features/accounts/accounts.ts';
import type { Settings } from '../../features/settings/settings.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Config } from '../config/config.ts';

interface AccountParts {
  options: { config: Config; store: Store; logger: Logger; secretKey: string; bcryptCost?: number };
  settings: Settings;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
}

/** Users, their sessions and tokens, as the environment and the settings say. */
export function composeAccounts({ options, settings, clock, writeAuditLog }: AccountParts) {
  const { config, store, logger, secretKey, bcryptCost } = options;
  return createAccounts({
    store,
    clock,
    logger,
    writeAuditLog,
    secretKey,
    accessTokenTtl: config.ACCESS_TOKEN_TTL,
    sessionIdleMinutes: () => settings.read('session_idle_minutes'),
    apiTokenMaxDays: () => settings.read('api_token_max_days'),
    origins: config.DASHBOARD_ORIGIN,
    ...(bcryptCost === undefined ? {} : { bcryptCost }),
  });
}
