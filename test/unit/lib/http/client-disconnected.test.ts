import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import express from 'express';
import { z } from 'zod';
import { disconnectSignal } from '../../../../src/lib/http/requests/client-disconnected.ts';
import { receiveForm } from '../../../../src/lib/http/requests/form.ts';
import { errorMiddleware } from '../../../../src/lib/http/responses/errors.ts';
import { mountRoutes } from '../../../../src/lib/http/routing/mount.ts';
import { defineRoute, type HandlerInput, type RouteDefinition } from '../../../../src/lib/http/routing/route.ts';
import { createLogger } from '../../../../src/lib/logger.ts';

type Handler = (input: Pick<HandlerInput<RouteDefinition>, 'request' | 'response'>) => Promise<unknown>;

let server: Server;
afterEach(() => {
  server.close();
});

/** Sends the start of a request to a handler and closes the connection; returns what was thrown, logged and sent. */
async function closeDuring(type: string, handle: Handler) {
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<{ thrown: unknown; status: number }>();
  const logged: string[] = [];
  const logger = createLogger({ level: 'warn', destination: { write: (line: string) => void logged.push(line) } });
  const route = defineRoute(
    {
      method: 'post',
      path: '/list',
      tag: 'Test',
      summary: 'Test',
      access: 'public',
      body: z.object({}),
      bodyType: type === 'application/json' ? 'json' : 'multipart',
      responses: { 200: { schema: z.object({}) } },
    },
    handle as never,
  );
  const app = express()
    .use((_request, _response, next) => {
      started.resolve();
      next();
    })
    .use(mountRoutes([route], { authenticate: () => Promise.reject(), checkAnswers: true }))
    .use(((thrown, request, response, next) => {
      errorMiddleware(logger)(thrown, request, response, next);
      ended.resolve({ thrown, status: response.statusCode });
    }) satisfies express.ErrorRequestHandler);
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST /list HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: 1000\r\n\r\n{"`);
  await started.promise;
  socket.destroy();
  return { ...(await ended.promise), logged };
}

const form = 'multipart/form-data; boundary=x';

const waitFor = async (signal: AbortSignal): Promise<never> => {
  await once(signal, 'abort');
  throw signal.reason;
};

const cases: [string, string, Handler][] = [
  ['a JSON body', 'application/json', async () => ({})],
  ['a form', form, ({ request, response }) => receiveForm({ request, response }, { files: [], maxBytes: 9 })],
  ['work on its behalf', form, ({ response }) => waitFor(disconnectSignal(response))],
];

test.each(cases)('a client that disconnects during %s causes no error: 499 in the log', async (_what, type, handle) => {
  const { thrown, status, logged } = await closeDuring(type, handle);
  expect(thrown).not.toMatchObject({ code: 'validation_error' });
  expect([status, logged]).toEqual([499, []]);
});
