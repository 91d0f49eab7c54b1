import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { pinoHttp } from 'pino-http';
import type { Logger } from '../../logger.ts';

const sane = /^[\w.:-]{1,128}$/;

/** Every request has an id: the caller's own if it is valid, else a new one. The answer returns it. */
export const identifyRequests: RequestHandler = (request, response, next) => {
  const given = request.get('X-Request-Id') ?? '';
  request.id = sane.test(given) ? given : randomUUID();
  response.set('X-Request-Id', request.id);
  next();
};

const probes = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * One line a request, without what may be secret: no headers, no query string (it may hold `access_token`, however it is
 * spelled), no bodies.
 */
export function logRequests(logger: Logger): RequestHandler {
  return pinoHttp<IncomingMessage & { originalUrl?: string }, ServerResponse>({
    logger,
    genReqId: (request) => request.id,
    customAttributeKeys: { reqId: 'request_id', responseTime: 'duration_ms' },
    quietReqLogger: true,
    wrapSerializers: false,
    serializers: {
      req: (request: IncomingMessage & { originalUrl?: string }) => ({
        method: request.method,
        path: pathOf(request),
      }),
      res: (response: ServerResponse) => ({ status: response.statusCode }),
      err: () => undefined,
    },
    customProps: (request) => ({ address: request.socket.remoteAddress }),
    customLogLevel: (_request, response) => (response.statusCode >= 500 ? 'error' : 'info'),
    customSuccessMessage: () => 'request',
    customErrorMessage: () => 'request failed',
    autoLogging: { ignore: (request) => probes.has(pathOf(request)) },
  }) as RequestHandler;
}

const pathOf = (request: IncomingMessage & { originalUrl?: string }): string =>
  (request.originalUrl ?? request.url ?? '').split('?', 1)[0] ?? '';
