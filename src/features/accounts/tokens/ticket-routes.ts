import { z } from 'zod';
import { AppError } from '../../../lib/errors.ts';
import { timestamp, toTimestamp } from '../../../lib/http/routing/formats.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import type { Authentication } from '../sign-in/authentication.ts';
import type { Tickets } from './tickets.ts';

const newTicket = z.strictObject({
  path: z
    .string()
    .max(500)
    .regex(/^\/(?:api|ws)\/[^?#\s]+$/, 'Must be a path below /api/ or /ws/, without a query')
    .meta({ description: 'The one path the ticket is for, as it is sent', examples: ['/api/deployments/1/logs'] }),
});

const ticketAnswer = z
  .object({
    ticket: z.string().meta({ description: 'For the query parameter `ticket`' }),
    expires_at: timestamp,
  })
  .meta({ id: 'Ticket' });

export function ticketRoutes(tickets: Tickets, credentialOf: Authentication['credentialOf']): Route[] {
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/auth/tickets',
        tag: 'Authentication',
        summary: 'Make a one-time ticket for a download or a stream',
        description:
          'For links and streams of a browser, which can send no header: add `ticket=<ticket>` to the query. A ticket counts once, for ' +
          '30 seconds, for one path, with the rights of the caller, and ends with the caller’s session.',
        access: 'view',
        body: newTicket,
        responses: { 201: { schema: ticketAnswer } },
        errors: ['rate_limited'],
      },
      async ({ principal, body, request }) => {
        const credential = credentialOf(request);
        if (!credential) throw new AppError('unauthorized', 'A ticket needs a session or a token');
        const { ticket, expiresAt } = tickets.issue(principal.userId, credential, body.path);
        return { ticket, expires_at: toTimestamp(expiresAt) };
      },
    ),
  ];
}
