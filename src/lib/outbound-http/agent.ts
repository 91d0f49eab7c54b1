import { Agent, buildConnector } from 'undici';
import { messageOf } from '../errors.ts';
import type { Target } from './address.ts';
import type { Connect } from './connect.ts';
import { OutboundError } from './outbound-error.ts';

/** OpenSSL's and Node's certificate errors in plain words; the codes are those of Node's `tls`. */
const certificateFaults: Record<string, string> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an authority that is not trusted here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate can’t be traced to a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate can’t be traced to a trusted authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate can’t be traced to a trusted authority',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  CERT_REVOKED: 'its certificate was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
};

/** Translates a failed request; own errors stay. */
export function translateFailure(error: unknown, { host, port }: Target): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = codeOf(error);
  const fault = certificateFaults[code];
  if (fault !== undefined) return new OutboundError('tls', `TLS failed with ${host}: ${fault}`, error);
  // Node reports a connection that ends within the handshake only by its message.
  if (/^(EPROTO$|ERR_SSL_|ERR_TLS_|CERT_|CRL_)/.test(code) || messageOf(error).includes('before secure TLS connection'))
    return new OutboundError(
      'tls',
      `TLS failed with ${host} on port ${port}: it could not agree on an encryption`,
      error,
    );
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return new OutboundError('timeout', `${host} did not answer in time`, error);
  if (code === 'UND_ERR_HEADERS_OVERFLOW')
    return new OutboundError('too_large', `${host} sends more headers than are read`, error);
  if (code.startsWith('HPE_'))
    return new OutboundError('broken', `${host} does not answer with HTTP on port ${port}`, error);
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR') || code.startsWith('ERR_BROTLI'))
    return new OutboundError('broken', `What ${host} sent could not be unpacked`, error);
  return new OutboundError('broken', `The connection to ${host} broke off: ${messageOf(error)}`, error);
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/**
 * An HTTP client whose connections, TLS ones too, are made by `connect`. Close it when done.
 * @param beforeUse called before the first request of each connection; what it throws fails the request
 * @param authorities certificates to trust in place of Node's own list
 */
export function createGuardedAgent(connect: Connect, beforeUse?: () => void, authorities?: string[]) {
  const over = buildConnector({ timeout: 10_000, ...(authorities ? { ca: authorities } : {}) });
  const ended = new AbortController();
  const agent = new Agent({
    connections: 6,
    headersTimeout: 20_000,
    bodyTimeout: 20_000,
    connect: ({ hostname, protocol, port, ...options }, callback) => {
      const host = hostname.replace(/^\[|\]$/g, '');
      const ready: typeof callback = (...[error, socket]) => {
        if (error) return callback(error, null);
        try {
          beforeUse?.();
          callback(null, socket);
        } catch (refusal) {
          socket.destroy();
          callback(refusal as Error, null);
        }
      };
      connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80) }, ended.signal).then(
        (socket) => {
          if (protocol === 'https:') over({ ...options, hostname, protocol, port, httpSocket: socket }, ready);
          else ready(null, socket);
        },
        (error: Error) => callback(error, null),
      );
    },
  });
  return {
    agent,
    async close(): Promise<void> {
      ended.abort(new Error('The client has ended'));
      await agent.destroy();
    },
  };
}
