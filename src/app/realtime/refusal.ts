import type { Duplex } from 'node:stream';
import { AppError, statusOfCode } from '../../lib/errors.ts';
import { STATUS_CODES } from '../../lib/http/node-http.ts';
import { errorAnswer } from '../../lib/http/responses/errors.ts';
import type { Logger } from '../../lib/logger.ts';

/** Turns anything thrown into an error that may be shown; unexpected errors are logged under the request's id. */
export function presentable(thrown: unknown, requestId: string, logger: Logger): AppError {
  if (thrown instanceof AppError) return thrown;
  logger.error({ err: thrown, request_id: requestId }, 'unexpected error');
  return new AppError('internal_error', `Something went wrong here. Request id: ${requestId}`);
}

/** Answers a handshake with an error, as HTTP, and hangs up. */
export function refuseUpgrade(socket: Duplex, error: AppError, requestId: string): void {
  const status = statusOfCode[error.code];
  const body = JSON.stringify(errorAnswer(error));
  const headers = {
    ...error.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(body)),
    'X-Request-Id': requestId,
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.once('finish', () => socket.destroy());
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
}
