import type { Route } from '../../lib/http/routing/route.ts';
import { openSessionRoutes } from './sessions/routes.ts';
import type { Sessions } from './sessions/session-service.ts';
import type { BrowserSessions } from './sign-in/browser-session.ts';
import { browserSessionRoutes } from './sign-in/browser-session-routes.ts';
import type { SignInService } from './sign-in/sign-in.ts';
import { sessionRoutes } from './sign-in/sign-in-routes.ts';
import type { ApiTokenService } from './tokens/api-tokens.ts';
import { tokenRoutes } from './tokens/token-routes.ts';
import { userRoutes } from './users/user-routes.ts';
import type { UserService } from './users/users.ts';

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
