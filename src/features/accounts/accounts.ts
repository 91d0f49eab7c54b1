import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Store } from '../../platform/store/store.ts';
import type { AccessChanged } from './access-changed.ts';
import { accessTokenKey } from './access-token.ts';
import { createApiTokens } from './api-tokens.ts';
import { type Authentication, createAuthentication } from './authentication.ts';
import { type BrowserSessions, createBrowserSessions } from './browser-session.ts';
import { ensureFirstAdmin, type FirstAdmin } from './first-admin.ts';
import { createPasswordHasher } from './password-hash.ts';
import { accountRoutes } from './routes.ts';
import { createSessions } from './sessions.ts';
import { createAccountStore } from './store.ts';
import { createUsers } from './users.ts';

export interface AccountsDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  journal: WriteJournal;
  /** The manager's SECRET_KEY; the key of access tokens is derived from it. */
  secretKey: string;
  /** Life of access tokens, in seconds. */
  accessTokenTtl: number;
  /** Origins of dashboard pages with another host name than the API's. */
  origins?: readonly string[];
  /** bcrypt's cost; 12 unless said (tests take less). */
  bcryptCost?: number;
}

export interface Accounts extends Authentication {
  routes: Route[];
  browserSessions: BrowserSessions;
  /** Open connections are to be looked at again when it is told. */
  onAccessChange(listener: AccessChanged): void;
  /** Creates the administrator `admin` at the first start. */
  ensureFirstAdmin(password: string | undefined): Promise<FirstAdmin>;
}

/** Users, their sessions and API tokens, and who a request comes from. */
export function createAccounts(deps: AccountsDeps): Accounts {
  const { store, clock, logger, journal, accessTokenTtl, bcryptCost = 12 } = deps;
  const listeners: AccessChanged[] = [];
  const accessChanged: AccessChanged = () => {
    for (const listener of listeners) listener();
  };
  const accounts = createAccountStore(store);
  const hasher = createPasswordHasher(bcryptCost);
  const key = accessTokenKey(deps.secretKey);
  const browser = createBrowserSessions({ secretKey: deps.secretKey, accessTokenTtl, origins: deps.origins ?? [] });
  return {
    ...createAuthentication({ accounts, clock, logger, key, browser }),
    browserSessions: browser,
    routes: accountRoutes({
      users: createUsers({ accounts, clock, journal, hasher, accessChanged }),
      sessions: createSessions({ accounts, clock, journal, hasher, key, accessTokenTtl, accessChanged }),
      tokens: createApiTokens({ accounts, clock, journal, accessChanged }),
      browser,
    }),
    onAccessChange: (listener) => void listeners.push(listener),
    ensureFirstAdmin: (password) => ensureFirstAdmin({ accounts, clock, journal, hasher }, password),
  };
}
