import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { ownUserResponse } from '../presentation.ts';
import { browserSession, credentials, done, passwordChange, passwordChangeOf } from '../schema.ts';
import { clientOf } from '../sessions/session-service.ts';
import type { User } from '../store.ts';
import type { BrowserSessions } from './browser-session.ts';
import type { SignInService } from './sign-in.ts';

const common = { tag: 'Authentication', path: '/api/auth/session' } as const;

/** The dashboard's sign-in: like login, change-password and logout, but with a secret in a cookie instead of an access token. */
export function browserSessionRoutes(sessions: SignInService, browser: BrowserSessions): Route[] {
  const toResponse = (user: User, csrfToken: string) => ({ csrf_token: csrfToken, user: ownUserResponse(user) });
  return [
    defineRoute(
      {
        ...common,
        method: 'post',
        summary: 'Sign in with a cookie',
        onFullDisk: true,
        description:
          'For web pages. The response sets a cookie with a secret that scripts can’t read. The manager accepts the secret only from the cookie, and only ' +
          'together with the response’s `csrf_token` in the header `X-CSRF-Token` (in handshakes: the sub-protocol pair ' +
          '`csrf, <token>`, or Socket.io’s `auth.csrf_token`).',
        access: 'public',
        body: credentials,
        responses: { 200: { schema: browserSession } },
        errors: ['invalid_credentials', 'forbidden', 'rate_limited'],
      },
      async ({ body, request, response }) => {
        // Before the password check: a rejected page must neither open a session nor count as an attempt.
        browser.assertOwnPage(request);
        const { secret, user } = await sessions.login(body.username, body.password, 'browser', clientOf(request));
        return toResponse(user, browser.open(request, response, secret));
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'put',
        summary: 'Change your own password and stay signed in with a cookie',
        access: 'view',
        duringPasswordChange: true,
        body: passwordChange,
        responses: { 200: { schema: browserSession } },
        errors: ['forbidden', 'invalid_state', 'rate_limited'],
      },
      async ({ principal, body, request, response }) => {
        const change = passwordChangeOf(body);
        const { secret, user } = await sessions.changePassword(principal.userId, change, 'browser', clientOf(request));
        return toResponse(user, browser.open(request, response, secret));
      },
    ),
    defineRoute(
      {
        ...common,
        method: 'delete',
        summary: 'Sign out: end all sessions of the user and remove the cookie',
        access: 'view',
        duringPasswordChange: true,
        responses: { 200: { schema: done } },
      },
      async ({ principal, request, response }) => {
        await sessions.logout(principal);
        browser.close(request, response);
        return { message: 'Signed out' };
      },
    ),
  ];
}
