import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { ownUserResponse, sessionResponse } from '../presentation.ts';
import { credentials, done, me, passwordChange, passwordChanged, passwordChangeOf, session } from '../schema.ts';
import { clientOf } from '../sessions/session-service.ts';
import type { UserService } from '../users/users.ts';
import type { SignInService } from './sign-in.ts';

const common = { tag: 'Authentication' } as const;

export function signInRoutes(sessions: SignInService, users: UserService): Route[] {
  return [
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/auth/login',
        onFullDisk: true,
        summary: 'Log in',
        description:
          'After 10 failures in 15 minutes for one name from one address, the response is 429 with `Retry-After`. After 30 failures for one name from all addresses, or from one address for all names, each further failure causes a growing delay of up to a minute. A name and an address that have logged in together before are only delayed, and only by their own failures.',
        access: 'public',
        body: credentials,
        bodyType: 'form',
        responses: { 200: { schema: session } },
        errors: ['invalid_credentials', 'rate_limited'],
      },
      async ({ body, request }) =>
        sessionResponse(await sessions.login(body.username, body.password, 'token', clientOf(request))),
    ),
    defineRoute(
      {
        ...common,
        method: 'get',
        path: '/api/auth/me',
        summary: 'Get the current user',
        access: 'view',
        duringPasswordChange: true,
        responses: { 200: { schema: me } },
      },
      async ({ principal }) => {
        const self = await users.get(principal.userId);
        return ownUserResponse(self);
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/auth/logout',
        summary: 'End all access tokens of the user',
        description: 'Personal API tokens stay valid.',
        access: 'view',
        duringPasswordChange: true,
        responses: { 200: { schema: done } },
      },
      async ({ principal }) => {
        await sessions.logout(principal);
        return { message: 'Logged out' };
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'post',
        path: '/api/auth/change-password',
        summary: 'Change your own password',
        description:
          'Ends all access tokens of the user and, unless `keep_api_tokens` is true, the API tokens. The response contains a new access token.',
        access: 'view',
        duringPasswordChange: true,
        body: passwordChange,
        responses: { 200: { schema: passwordChanged } },
        errors: ['invalid_state', 'rate_limited'],
      },
      async ({ principal, body, request }) => {
        const change = passwordChangeOf(body);
        const changed = await sessions.changePassword(principal.userId, change, 'token', clientOf(request));
        return { message: 'Password changed', ...sessionResponse(changed) };
      },
    ),
  ];
}
