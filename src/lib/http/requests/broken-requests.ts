import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { AppError, invalid, statusOfCode } from '../../errors.ts';
import { STATUS_CODES } from '../node-http.ts';
import { errorAnswer } from '../responses/errors.ts';

interface BrokenRequest extends NodeJS.ErrnoException {
  /** The bytes that could not be read, where Node has them. */
  rawPacket?: Buffer;
}

/** A client that never hangs up must not keep its descriptor; at once, it could lose the answer (RST). Milliseconds. */
const lingerMs = 1_000;

/** What is not even HTTP never reaches a route: it is answered here, in the same shape as every other error. */
export function answerBrokenRequests(server: Server): void {
  server.on('clientError', (error: BrokenRequest, socket: Duplex) => {
    // A connection that is closed, or in the middle of an answer, can't receive an error.
    const cannotReceive = error.code === 'ECONNRESET' || !socket.writable || socketIsAnswering(socket);
    if (cannotReceive || isUnused(error, socket)) {
      socket.destroy();
      return;
    }
    const answer = meaning(error.code);
    const body = JSON.stringify(errorAnswer(answer));
    const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD ';
    const status = statusOfCode[answer.code];
    const lingering = setTimeout(() => socket.destroy(), lingerMs);
    socket.once('close', () => clearTimeout(lingering));
    socket.end(
      [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${randomUUID()}`,
        'Cache-Control: no-store',
        'Connection: close',
        '',
        isHead ? '' : body,
      ].join('\r\n'),
    );
  });
}

function meaning(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return new AppError('payload_too_large', 'The head of the request is too large');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return invalid('request', 'took too long');
  return invalid('request', 'is not valid HTTP');
}

/**
 * Browsers open connections in advance. An error on one of them would be the answer to the request that the browser sends at that
 * moment; a connection that just closes makes it send the request again.
 */
const isUnused = ({ code }: BrokenRequest, socket: Duplex): boolean =>
  code === 'ERR_HTTP_REQUEST_TIMEOUT' && (socket as { bytesRead?: number }).bytesRead === 0;

/** Node keeps the answer under way at the socket. */
const socketIsAnswering = (socket: Duplex): boolean => {
  const { _httpMessage: message } = socket as { _httpMessage?: { headersSent?: boolean } | null };
  return message?.headersSent === true;
};
