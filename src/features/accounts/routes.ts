import type { Route } from '../../platform/http/route.ts';
import type { ApiTokenService } from './api-tokens.ts';
import { sessionRoutes } from './session-routes.ts';
import type { SessionService } from './sessions.ts';
import { tokenRoutes } from './token-routes.ts';
import { userRoutes } from './user-routes.ts';
import type { UserService } from './users.ts';

interface AccountServices {
  sessions: SessionService;
  users: UserService;
  tokens: ApiTokenService;
}

export function accountRoutes({ sessions, users, tokens }: AccountServices): Route[] {
  return [...sessionRoutes(sessions, users), ...tokenRoutes(tokens), ...userRoutes(users)];
}
