import { createAccounts } from '../features/accounts/accounts.ts';
import type { Settings } from '../features/settings/settings.ts';
import type { Clock } from '../kernel/clock.ts';
import type { WriteJournal } from '../platform/events/journal-entry.ts';
import type { HouseOptions } from './wire.ts';

interface AccountParts {
  options: HouseOptions;
  settings: Settings;
  clock: Clock;
  journal: WriteJournal;
}

/** Users, their sessions and tokens, as the environment and the settings say. */
export function wireAccounts({ options, settings, clock, journal }: AccountParts) {
  const { config, store, logger, secretKey, bcryptCost } = options;
  return createAccounts({
    store,
    clock,
    logger,
    journal,
    secretKey,
    accessTokenTtl: config.ACCESS_TOKEN_TTL,
    sessionIdleMinutes: () => settings.read('session_idle_minutes'),
    apiTokenMaxDays: () => settings.read('api_token_max_days'),
    origins: config.DASHBOARD_ORIGIN,
    ...(bcryptCost === undefined ? {} : { bcryptCost }),
  });
}
