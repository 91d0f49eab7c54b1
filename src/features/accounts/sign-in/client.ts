import type { IncomingHttpHeaders } from 'node:http';
import type { Client } from '../sessions/session-service.ts';

/** Where a request comes from. */
export const clientOf = ({ ip, headers }: { ip?: string | undefined; headers: IncomingHttpHeaders }): Client => ({
  address: ip ?? 'unknown',
  userAgent: headers['user-agent'] ?? '',
});
