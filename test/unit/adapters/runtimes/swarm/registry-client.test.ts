import { createServer as createPlainServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createRegistryClient } from '../../../../../src/adapters/runtimes/swarm/images/registry-client.ts';
import { createLogger } from '../../../../../src/lib/logger.ts';
import { makeCertificate } from '../../../../harness/proxy/sites.ts';
import { account } from '../../../../harness/swarm/registry.ts';

/** Registries as they are met outside: token services, untrusted certificates, no removal. */
describe('the client of a registry', () => {
  const servers: Server[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
  async function listen(server: Server): Promise<string> {
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const serve = (listener: RequestListener): Promise<string> => listen(createPlainServer(listener));
  /** @param lines the warnings */
  const client = (address: string, lines: string[] = []) =>
    createRegistryClient(
      { address, ...account },
      createLogger({ level: 'warn', destination: { write: (line) => void lines.push(line) } }),
    );
  const basic = `Basic ${Buffer.from(`${account.user}:${account.password}`).toString('base64')}`;

  test('uses the token of the registry’s token service', async () => {
    const asked: (string | undefined)[] = [];
    const tokens = await serve((request, response) => {
      asked.push(request.url, request.headers.authorization);
      response.end(JSON.stringify({ token: 'token-of-the-service' }));
    });
    const address = await serve((request, response) => {
      if (request.headers.authorization === 'Bearer token-of-the-service')
        return void response.end(JSON.stringify({ tags: ['a', 'b'] }));
      const challenge = `Bearer realm="http://${tokens}/token",service="registry",scope="repository:x/api:pull"`;
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    });
    expect(await client(`${address}/team`).tagsOf('x/api')).toEqual(['a', 'b']);
    expect(asked).toEqual(['/token?service=registry&scope=repository%3Ax%2Fapi%3Apull', basic]);
  });

  test('sends no credentials in plain text to a token service elsewhere', async () => {
    const asked: (string | undefined)[] = [];
    const tokens = await serve((request, response) => {
      asked.push(request.headers.authorization);
      response.end(JSON.stringify({ token: 't' }));
    });
    const port = tokens.split(':')[1];
    const address = await serve((_request, response) => {
      response.writeHead(401, { 'www-authenticate': `Bearer realm="http://0.0.0.0:${port}/token"` }).end();
    });
    await expect(client(address).tagsOf('x/api')).rejects.toThrow('SWARM_REGISTRY');
    expect(asked).toEqual([undefined]);
  });

  test('sends nothing in plain text where the certificate is wrong', async () => {
    const { chain: cert, privateKey: key } = await makeCertificate('registry.example');
    const received: IncomingMessage[] = [];
    const errors: string[] = [];
    const server = createServer({ cert, key }, (request) => void received.push(request));
    server.on('tlsClientError', (error: NodeJS.ErrnoException) => errors.push(error.code ?? ''));
    const address = await listen(server);
    await expect(client(address).tagsOf('x/api')).rejects.toMatchObject({
      code: 'runtime_unavailable',
      message: expect.stringMatching(/^The registry .* \(SWARM_REGISTRY\): .*certificate/),
    });
    expect(received).toEqual([]);
    expect(errors).not.toContain('ERR_SSL_HTTP_REQUEST');
  });

  test('asks a registry without TLS at a public address without credentials', async () => {
    const asked: (string | undefined)[] = [];
    const address = await serve((request, response) => {
      asked.push(request.headers.authorization);
      response.end(JSON.stringify({ tags: null }));
    });
    // This address is reached and does not count as private.
    expect(await client(address.replace('127.0.0.1', '0.0.0.0')).tagsOf('x/api')).toEqual([]);
    expect(await client(address).tagsOf('x/api')).toEqual([]);
    expect(asked).toEqual([undefined, basic]);
  });

  test('logs once that the registry removes nothing', async () => {
    const requests: string[] = [];
    const address = await serve((request, response) => {
      requests.push(`${request.method} ${request.url}`);
      if (request.method === 'DELETE') return void response.writeHead(405).end();
      response.writeHead(200, { 'docker-content-digest': 'sha256:one' }).end();
    });
    const lines: string[] = [];
    const registry = client(address, lines);
    for (const tag of ['a', 'b']) await registry.removeTag('x/api', tag);
    expect(lines.filter((line) => line.includes('does not remove images'))).toHaveLength(1);
    expect(requests).toEqual(['HEAD /v2/x/api/manifests/a', 'DELETE /v2/x/api/manifests/sha256:one']);
  });

  test('names its setting when nothing listens', async () => {
    const address = await serve(() => undefined);
    const server = servers.pop();
    await new Promise((resolve) => server?.close(resolve));
    await expect(client(address).tagsOf('x/api')).rejects.toThrow(/SWARM_REGISTRY.*ECONNREFUSED/);
  });
});
