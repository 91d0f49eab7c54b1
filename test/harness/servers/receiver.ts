import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** In ms since 1970. */
  at: number;
}

/** A web service that takes notifications. */
export interface Receiver {
  url: string;
  received: Received[];
  /** Answers the next requests in turn; afterwards 200. `hang`: no answer. */
  answer(...answers: Answer[]): void;
  stop(): Promise<void>;
}

type Answer =
  | 'hang'
  | { status: number; headers?: Record<string, string>; body?: string }
  | ((response: ServerResponse) => void);

/** Starts a receiver on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const next: Answer[] = [];
  const listener: RequestListener = async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    received.push({
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString('utf8'),
      at: Date.now(),
    });
    const answer = next.shift() ?? { status: 200, body: 'ok' };
    if (answer === 'hang') return;
    if (typeof answer === 'function') answer(response);
    else response.writeHead(answer.status, answer.headers).end(answer.body);
  };
  const server = createServer(
    (request, response) => void Promise.resolve(listener(request, response)).catch(() => undefined),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    answer: (...answers) => void next.push(...answers),
    async stop() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
