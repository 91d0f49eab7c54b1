import type { Route } from '../../platform/http/route.ts';
import type { ApiTokenService } from './api-tokens.ts';
import type { BrowserSessions } from './browser-session.ts';
import { browserSessionRoutes } from './browser-session-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { openSessionRoutes } from './sessions/routes.ts';
import type { Sessions } from './sessions/session-service.ts';
import type { SignInService } from './sessions.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';
import type { UserService } from './users.ts';

interface AccountServices {
  signIn: SignInService;
  sessions: Sessions;
  users: UserService;
  tokens: ApiTokenService;
  browser: BrowserSessions;
}

export function accountRoutes({ signIn, sessions, users, tokens, browser }: AccountServices): Route[] {
  return [
    ...sessionRoutes(signIn, users),
    ...browserSessionRoutes(signIn, browser),
    ...openSessionRoutes(sessions),
    ...tokenRoutes(tokens),
    ...userRoutes(users),
  ];
}
