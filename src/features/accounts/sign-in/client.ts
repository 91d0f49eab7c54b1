import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from '../sessions/session-service.ts';

/** The client of a request, for the session list and login limits. */
export const clientOf = ({ ip, headers }: { ip?: string | undefined; headers: IncomingHttpHeaders }): Client => ({
  address: ip ?? 'unknown',
  userAgent: headers['user-agent'] ?? '',
});
