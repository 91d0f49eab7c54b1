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
    .meta({
      description: 'The path that the ticket is valid for, exactly as requested',
      examples: ['/api/deployments/1/logs'],
    }),
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
        summary: 'Create a one-time ticket for a download or a stream',
        description:
          'For browser links and streams, which can’t send headers: add `ticket=<ticket>` to the query. A ticket is valid once, for ' +
          '30 seconds, for one path, with the permissions of the caller. It ends with the caller’s session.',
        access: 'view',
        body: newTicket,
        responses: { 201: { schema: ticketAnswer } },
        errors: ['rate_limited'],
      },
      async ({ principal, body, request }) => {
        const credential = credentialOf(request);
        if (!credential) throw new AppError('unauthorized', 'Creating a ticket requires a session or a token');
        const { ticket, expiresAt } = tickets.issue(principal.userId, credential, body.path);
        return { ticket, expires_at: toTimestamp(expiresAt) };
      },
    ),
  ];
}
