import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { limitConnections } from '../../../../src/lib/http/connections/connection-limits.ts';
import { answerBrokenRequests } from '../../../../src/lib/http/requests/broken-requests.ts';

let server: Server;
let clients: Socket[];

beforeEach(async () => {
  clients = [];
  server = createServer({ connectionsCheckingInterval: 50 }, (_request, response) => void response.end('answered'));
  server.headersTimeout = 100;
  answerBrokenRequests(server);
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  server.close();
  await once(server, 'close');
});

const listen = async (): Promise<void> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
};
const held = (): Promise<number> =>
  new Promise((resolve, reject) => server.getConnections((error, count) => (error ? reject(error) : resolve(count))));
const until = async (count: number): Promise<void> => {
  while ((await held()) !== count) await new Promise((resolve) => setTimeout(resolve, 10));
};

/** A client that never closes the connection; `text` is all that it received. */
async function client(): Promise<{ socket: Socket; text(): string; gone: Promise<unknown> }> {
  const socket = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  clients.push(socket);
  let text = '';
  socket.on('data', (data) => {
    text += data;
  });
  socket.on('error', () => undefined);
  const gone = Promise.race([once(socket, 'end'), once(socket, 'close')]);
  await once(socket, 'connect');
  return { socket, text: () => text, gone };
}

test.each([
  ['is too slow', 'GET / HTTP/1.1\r\nX-a: ', '400'],
  ['is no HTTP', 'no request\r\n\r\n', '400'],
  ['has too large a head', `GET / HTTP/1.1\r\nX-a: ${'a'.repeat(20_000)}\r\n\r\n`, '413'],
])('closes the connection of a client whose request %s, with a response', async (_what, request, status) => {
  await listen();
  const slow = await Promise.all(Array.from({ length: 20 }, client));
  for (const { socket } of slow) socket.write(request);
  await Promise.all(slow.map(({ gone }) => gone));
  for (const { text } of slow) expect(text()).toContain(`HTTP/1.1 ${status} `);
  await until(0);
  expect(slow.every(({ socket }) => !socket.destroyed)).toBe(true);
});

test('closes a connection that was never used without a response, so that a browser sends its request again', async () => {
  await listen();
  const unused = await client();
  await unused.gone;
  expect(unused.text()).toBe('');
  await until(0);
});

test('limits the connections of one address, and accepts new ones when one ends', async () => {
  limitConnections(server, { total: 100, perAddress: 3, isExempt: () => false });
  await listen();
  const kept = await Promise.all(Array.from({ length: 3 }, client));
  await until(3);
  const refused = await client();
  await refused.gone;
  expect(refused.text()).toBe('');
  kept[0]?.socket.destroy();
  await until(2);
  const next = await client();
  next.socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await next.gone;
  expect(next.text()).toContain('answered');
});

test('allows a trusted proxy more, up to the total limit', async () => {
  limitConnections(server, { total: 5, perAddress: 1, isExempt: () => true });
  server.headersTimeout = 60_000;
  await listen();
  const kept = await Promise.all(Array.from({ length: 5 }, client));
  await until(5);
  const refused = await client();
  await refused.gone;
  expect(refused.text()).toBe('');
  expect(kept).toHaveLength(5);
});
