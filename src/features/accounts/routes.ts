import type { Route } from '../../platform/http/route.ts';
import type { ApiTokenService } from './api-tokens.ts';
import type { BrowserSessions } from './browser-session.ts';
import { browserSessionRoutes } from './browser-session-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import type { SessionService } from './sessions.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';
import type { UserService } from './users.ts';

interface AccountServices {
  sessions: SessionService;
  users: UserService;
  tokens: ApiTokenService;
  browser: BrowserSessions;
}

export function accountRoutes({ sessions, users, tokens, browser }: AccountServices): Route[] {
  return [
    ...sessionRoutes(sessions, users),
    ...browserSessionRoutes(sessions, browser),
    ...tokenRoutes(tokens),
    ...userRoutes(users),
  ];
}
