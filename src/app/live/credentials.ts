import type { IncomingMessage } from 'node:http';

/** The sub-protocol a WebSocket client names before its token, and the one the server agrees to. */
export const bearerProtocol = 'bearer';

/**
 * The token of a handshake: `Authorization: Bearer …`, the sub-protocol pair `bearer, <token>`, or the query's
 * `access_token` (browsers can set no headers there). Always sent on purpose, never by the browser of itself as a cookie
 * would be, so another site's page can't open a stream in its visitor's name.
 */
export function tokenOf(request: IncomingMessage, query: URLSearchParams): string | undefined {
  const header = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return header ?? protocolToken(request) ?? (query.get('access_token') || undefined);
}

function protocolToken(request: IncomingMessage): string | undefined {
  const offered = request.headers['sec-websocket-protocol'];
  const protocols = (offered ?? '').split(',').map((part) => part.trim());
  const at = protocols.indexOf(bearerProtocol);
  return at === -1 ? undefined : protocols[at + 1];
}
