import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import type { AccountContext } from './context.ts';
import { preferenceRoutes } from './preferences/preferences.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { createSessions } from './sessions/session-service.ts';
import { createSessionStore } from './sessions/store.ts';
import type { AccountFacts } from './setup-checklist.ts';
import { accessTokenKey } from './sign-in/access-token.ts';
import { type Authentication, createAuthentication } from './sign-in/authentication.ts';
import { type BrowserSessions, createBrowserSessions } from './sign-in/browser-session.ts';
import { browserSessionRoutes } from './sign-in/browser-session-routes.ts';
import { createSignIn } from './sign-in/sign-in.ts';
import { signInRoutes } from './sign-in/sign-in-routes.ts';
import { createAccountStore, type User } from './store.ts';
import { createApiTokens } from './tokens/api-tokens.ts';
import { ticketRoutes } from './tokens/ticket-routes.ts';
import { createTickets, type Tickets } from './tokens/tickets.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { ensureFirstAdmin, type FirstAdmin, hasInitialPassword } from './users/first-admin.ts';
import { createPasswordHasher } from './users/password-hash.ts';
import { userRoutes } from './users/user-routes.ts';
import { createUsers } from './users/users.ts';

export { createSetup } from './setup-checklist.ts';

export interface AccountsDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  writeAuditLog: WriteAuditLog;
  /** The manager's SECRET_KEY; the access-token key is derived from it. */
  secretKey: string;
  /** Maximum lifetime of sessions and their access tokens, in seconds. */
  accessTokenTtl: number;
  /** Minutes of inactivity after which a session ends. */
  sessionIdleMinutes(): Promise<number>;
  /** Origins of dashboards served from another host name than the API's. */
  origins?: readonly string[];
  /** Maximum lifetime of a new API token, in days. */
  apiTokenMaxDays(): Promise<number>;
  /** bcrypt cost (default 12; tests use less). */
  bcryptCost?: number | undefined;
}

export interface Accounts extends Authentication {
  routes: Route[];
  browserSessions: BrowserSessions;
  /** Redeems the one-time ticket in a handshake's query. @throws AppError unauthorized */
  ticketCredential: Tickets['redeemFromQuery'];
  /** Removes expired and idle sessions. */
  removeEndedSessions(): Promise<void>;
  /** Calls the listener when open connections must be checked again. */
  onAccessChange(listener: () => void): void;
  /** Creates the administrator `admin` on the first start; without a password, generates one. */
  ensureFirstAdmin(
    password: string | undefined,
    savePassword?: (password: string) => Promise<void>,
  ): Promise<FirstAdmin>;
  /** Whether the first administrator still has the generated password. */
  hasInitialPassword(): Promise<boolean>;
  /** The users who can sign in. */
  recipients(): Promise<Pick<User, 'id' | 'username' | 'email' | 'role'>[]>;
  setupFacts(userId: string): Promise<AccountFacts>;
}

/** Users, their sessions and API tokens, and the authentication of requests. */
export function createAccounts(deps: AccountsDeps): Accounts {
  const { store, clock, logger, writeAuditLog, accessTokenTtl, bcryptCost = 12 } = deps;
  const listeners: (() => void)[] = [];
  const accessChanged = (): void => {
    for (const listener of listeners) listener();
  };
  const accounts = createAccountStore(store);
  const hasher = createPasswordHasher(bcryptCost);
  const key = accessTokenKey(deps.secretKey);
  const rows = createSessionStore(store);
  const context: AccountContext = { accounts, rows, hasher, clock, logger, writeAuditLog, accessChanged };
  const sessions = createSessions({ ...context, key, accessTokenTtl, idleMinutes: deps.sessionIdleMinutes });
  const browser = createBrowserSessions({ secretKey: deps.secretKey, accessTokenTtl, origins: deps.origins ?? [] });
  const tickets = createTickets(clock);
  const authentication = createAuthentication({ ...context, sessions, key, browser, tickets });
  const users = createUsers(context);
  const signIn = createSignIn({ ...context, sessions });
  const tokens = createApiTokens({ ...context, maxDays: deps.apiTokenMaxDays });
  return {
    ...authentication,
    ticketCredential: tickets.redeemFromQuery,
    browserSessions: browser,
    removeEndedSessions: sessions.removeEnded,
    routes: [
      ...ticketRoutes(tickets, authentication.credentialOf),
      ...signInRoutes(signIn, users),
      ...browserSessionRoutes(signIn, browser),
      ...sessionRoutes(sessions),
      ...tokenRoutes(tokens),
      ...userRoutes(users),
      ...preferenceRoutes(store, clock),
    ],
    onAccessChange: (listener) => void listeners.push(listener),
    ensureFirstAdmin: (password, savePassword) => ensureFirstAdmin(context, password, savePassword),
    hasInitialPassword: () => hasInitialPassword(accounts),
    recipients: () => accounts.enabledUsers(),
    async setupFacts(userId) {
      const user = await accounts.findUser(userId);
      const hasOwnPassword = user?.passwordChangedAt?.getTime() !== user?.createdAt.getTime();
      return { hasOwnPassword, enabledAdmins: await accounts.countEnabledAdmins() };
    },
  };
}
