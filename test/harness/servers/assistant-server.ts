import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The server's requests, as far as tests use them. */
export interface AskedRequest {
  path: string;
  authorization: string | undefined;
  body: {
    model: string;
    messages: { role: string; content: string }[];
    response_format?: { type: string; json_schema?: { name: string; schema: unknown } };
  };
}

/** How it responds: an object or text as the model's message, or a handler. */
export type AssistantBehaviour =
  | { answer: unknown; finishReason?: string; usage?: { prompt_tokens: number; completion_tokens: number } }
  | { status: number; headers?: Record<string, string>; body?: string }
  | { byHand: (request: AskedRequest, response: ServerResponse) => void };

export interface AssistantServer {
  baseUrl: string;
  asked: AskedRequest[];
  /** For the next requests. */
  behave(behaviour: AssistantBehaviour | ((request: AskedRequest) => AssistantBehaviour)): void;
  close(): Promise<void>;
}

/** A server for the used part of OpenAI's API, on loopback, controlled by a test. */
export async function startAssistantServer(): Promise<AssistantServer> {
  let behaviour: (request: AskedRequest) => AssistantBehaviour = () => ({ status: 500 });
  const asked: AskedRequest[] = [];
  const server = createServer((request, response) => {
    void respond(request, response);
  });
  async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const seen: AskedRequest = {
      path: request.url ?? '',
      authorization: request.headers.authorization,
      body: JSON.parse(Buffer.concat(chunks).toString() || '{}') as AskedRequest['body'],
    };
    asked.push(seen);
    const now = behaviour(seen);
    if ('byHand' in now) return now.byHand(seen, response);
    if ('status' in now) {
      response.writeHead(now.status, { 'content-type': 'application/json', ...now.headers });
      response.end(now.body ?? JSON.stringify({ error: { message: 'as the test wanted', type: 'test' } }));
      return;
    }
    const content = typeof now.answer === 'string' ? now.answer : JSON.stringify(now.answer);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify({
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 1,
        model: seen.body.model,
        ...(now.usage ? { usage: now.usage } : {}),
        choices: [
          {
            index: 0,
            finish_reason: now.finishReason ?? 'stop',
            message: { role: 'assistant', content, refusal: null },
          },
        ],
      }),
    );
  }
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    behave: (next) => {
      behaviour = typeof next === 'function' ? next : () => next;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
