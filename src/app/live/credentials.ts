import type { IncomingMessage } from 'node:http';

/** The sub-protocols a WebSocket client names before its token, or before its session's proof: the server agrees to them. */
export const bearerProtocol = 'bearer';
export const csrfProtocol = 'csrf';

/** The access token of a browser's session. @throws AppError forbidden */
export type SessionToken = (request: IncomingMessage, proof: string | undefined) => string | undefined;

/**
 * The token of a handshake: `Authorization: Bearer …`, the sub-protocol pair `bearer, <token>`, or the query's
 * `access_token` (browsers can set no headers there); or the dashboard's cookie together with its proof, which is sent on
 * purpose like the others, so another site's page can't open a stream in its visitor's name.
 * @throws AppError forbidden
 */
export function tokenOf(
  request: IncomingMessage,
  query: URLSearchParams,
  sessionToken: SessionToken = () => undefined,
): string | undefined {
  const header = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const given = header ?? afterProtocol(request, bearerProtocol) ?? (query.get('access_token') || undefined);
  return given ?? sessionToken(request, afterProtocol(request, csrfProtocol));
}

function afterProtocol(request: IncomingMessage, protocol: string): string | undefined {
  const offered = request.headers['sec-websocket-protocol'];
  const protocols = (offered ?? '').split(',').map((part) => part.trim());
  const at = protocols.indexOf(protocol);
  return at === -1 ? undefined : protocols[at + 1];
}
