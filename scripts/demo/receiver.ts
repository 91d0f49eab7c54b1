import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';

export interface Message {
  title: string;
  text: string;
  url: string;
  severity: string;
}

const maxWaitMs = 120_000;

/** Starts a receiver of webhooks that are signed as Standard Webhooks says; it takes only those whose signature is valid. */
export async function startReceiver() {
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const received: Message[] = [];
  let shown = 0;
  let arrival = Promise.withResolvers<void>();

  async function take(request: IncomingMessage): Promise<void> {
    const { data } = new Webhook(secret).verify(await text(request), request.headers as Record<string, string>) as {
      data: Message;
    };
    received.push(data);
    arrival.resolve();
    arrival = Promise.withResolvers();
  }
  const server = createServer((request, response) => {
    take(request).then(
      () => response.writeHead(204).end(),
      () => response.writeHead(401).end('The signature is not valid'),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
    secret,
    /** How many messages arrived. */
    count: (): number => received.length,
    /** The next message. @throws Error that names it if it does not arrive in time */
    async next(what: string): Promise<Message> {
      const late = AbortSignal.timeout(maxWaitMs);
      const timeout = once(late, 'abort').then(() => undefined);
      while (received.length === shown) {
        await Promise.race([arrival.promise, timeout]);
        if (late.aborted) throw new Error(`${what} did not arrive within ${maxWaitMs / 1000} s`);
      }
      shown += 1;
      return received[shown - 1] as Message;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
