import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { AddressRanges, refusePeers } from '../../../../src/lib/http/connections/refused-peers.ts';

const server = createServer((_request, response) => response.end('answered'));
afterEach(() => new Promise((resolve) => server.close(resolve)));

test('closes connections from a refused range without a response, also on an IPv6 socket; answers others', async () => {
  let requests = 0;
  server.on('request', () => {
    requests += 1;
  });
  const refused = new AddressRanges(['10.213.0.0/16']);
  refusePeers(server, (address) => refused.has(address));
  refused.add('127.0.2.0/24');
  await new Promise<void>((resolve) => server.listen(0, '::', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (localAddress: string): Promise<string | undefined> =>
    new Promise((resolve) => {
      const request = get({ host: '127.0.0.1', port, localAddress, agent: false }, (response) => {
        response.resume().on('end', () => resolve(String(response.statusCode)));
      });
      request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    });
  expect(await ask('127.0.2.7')).toBe('ECONNRESET');
  expect(requests).toBe(0);
  expect(await ask('127.0.3.7')).toBe('200');
});
