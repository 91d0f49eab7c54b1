import type { IncomingMessage } from 'node:http';
import type { Credential } from '../../lib/http/requests/credential.ts';
import { bearerToken } from '../../lib/http/requests/credential.ts';

/** The sub-protocols a WebSocket client names before its token, or before its session's proof: the server agrees to them. */
export const bearerProtocol = 'bearer';
export const csrfProtocol = 'csrf';

/** The credential in a browser's cookie. @throws AppError forbidden */
export type CookieCredential = (request: IncomingMessage, proof: string | undefined) => Credential | undefined;

/** A token that was sent as such. */
export const tokenCredential = (value: string): Credential => ({ kind: 'token', value });

/**
 * The credential of a handshake: `Authorization: Bearer …`, the sub-protocol pair `bearer, <token>`, or the query's
 * `access_token` (browsers can set no headers there); or the dashboard's cookie together with its proof, which is sent on
 * purpose like the others, so another site's page can't open a stream in its visitor's name.
 * @throws AppError forbidden
 */
export function credentialOf(
  request: IncomingMessage,
  query: URLSearchParams,
  ofCookie: CookieCredential = () => undefined,
): Credential | undefined {
  const given =
    bearerToken(request) ?? afterProtocol(request, bearerProtocol) ?? (query.get('access_token') || undefined);
  return given === undefined ? ofCookie(request, afterProtocol(request, csrfProtocol)) : tokenCredential(given);
}

function afterProtocol(request: IncomingMessage, protocol: string): string | undefined {
  const offered = request.headers['sec-websocket-protocol'];
  const protocols = (offered ?? '').split(',').map((part) => part.trim());
  const at = protocols.indexOf(protocol);
  return at === -1 ? undefined : protocols[at + 1];
}
