import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, afterEach, describe, expect, test } from '@jest/globals';
import { createTenantApi } from '../../../src/adapters/tenant-api/tenant-api.ts';

const api = createTenantApi();
const servers: Server[] = [];
const apiKey = 'key-that-must-stay-hidden';

afterAll(() => api.close());

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function tenant(listener: RequestListener): Promise<{ host: string; port: number }> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { host: '127.0.0.1', port: (server.address() as AddressInfo).port };
}

const answering =
  (statusCode: number, body: string): RequestListener =>
  (_request, response) => {
    response.writeHead(statusCode, { 'content-type': 'application/json' }).end(body);
  };

/** An address without a listener. */
async function closedAddress(): Promise<{ host: string; port: number }> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return { host: '127.0.0.1', port };
}

describe('probe', () => {
  test.each([200, 204, 302])('reports %i as up', async (status) => {
    const address = await tenant(answering(status, ''));
    const probe = await api.probe(address, '/', { timeoutMs: 20_000 });
    expect(probe).toEqual({ status: 'up', response_time_ms: expect.any(Number), status_code: status });
  });

  test.each([404, 500])('reports %i as down, with the reason', async (status) => {
    const address = await tenant(answering(status, ''));
    const probe = await api.probe(address, '/', { timeoutMs: 20_000 });
    expect(probe).toMatchObject({ status: 'down', status_code: status, error: `answered ${status}` });
  });

  test('reports a connection refused as down', async () => {
    const probe = await api.probe(await closedAddress(), '/', { timeoutMs: 20_000 });
    expect(probe).toEqual({
      status: 'down',
      response_time_ms: null,
      status_code: null,
      error: 'connection refused',
      problem: 'refused',
    });
  });

  test('ends at the timeout if a tenant hangs before its headers', async () => {
    const address = await tenant(() => undefined);
    const probe = await api.probe(address, '/', { timeoutMs: 200 });
    expect(probe).toMatchObject({ status: 'down', status_code: null, error: 'no answer within 200 ms' });
  });

  test('ends at the timeout if a tenant hangs in the middle of its answer', async () => {
    const address = await tenant((_request, response) => response.writeHead(200).write('x'));
    const probe = await api.probe(address, '/', { timeoutMs: 2_000 });
    expect(probe).toMatchObject({ status: 'down', status_code: 200, error: 'the answer did not end within 2000 ms' });
  });

  test('reports an endless page as up, and cuts it off', async () => {
    let sent = 0;
    const address = await tenant((_request, response) => {
      const chunk = Buffer.alloc(65_536);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    });
    expect(await api.probe(address, '/', { timeoutMs: 5_000 })).toMatchObject({ status: 'up', status_code: 200 });
    expect(sent).toBeLessThan(64 * 1024 * 1024);
  });

  test('reports a server that does not speak HTTP as down', async () => {
    const server = createTcpServer((socket) => socket.resume().end('220 mail ready\r\n'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const probe = await api.probe({ host: '127.0.0.1', port }, '/', { timeoutMs: 20_000 });
    expect(probe).toMatchObject({ status: 'down', error: 'the answer is not HTTP' });
    await new Promise((resolve) => server.close(resolve));
  });

  test('a caller that cancels gets its own reason', async () => {
    const address = await tenant(() => undefined);
    const giveUp = new AbortController();
    const probing = api.probe(address, '/', { timeoutMs: 5_000, signal: giveUp.signal });
    giveUp.abort(new Error('the manager stops'));
    await expect(probing).rejects.toThrow('the manager stops');
  });

  test('ends at the timeout while waiting for a connection', async () => {
    const address = await tenant(() => undefined);
    const settled: number[] = [];
    const probing = [1_000, 1_000, 1_000, 1_000, 100].map(async (timeoutMs) => {
      const probe = await api.probe(address, '/', { timeoutMs });
      settled.push(timeoutMs);
      return probe;
    });
    expect((await Promise.all(probing)).at(-1)).toMatchObject({ error: 'no answer within 100 ms' });
    expect(settled[0]).toBe(100);
  });

  test('reuses connections within a check', async () => {
    const sockets = new Set<unknown>();
    const address = await tenant((request, response) => {
      sockets.add(request.socket);
      response.end('ok');
    });
    for (let turn = 0; turn < 20; turn += 1) await api.probe(address, '/', { timeoutMs: 20_000 });
    expect(sockets.size).toBeLessThanOrEqual(4);
  });
});

describe('health', () => {
  test('reports 200 and healthy as up, with version and commit', async () => {
    const address = await tenant(answering(200, '{"status":"healthy","commit":"abc","version":"v1.0.0","more":1}'));
    expect(await api.health(address, '/api/health', { timeoutMs: 20_000 })).toEqual({
      status: 'up',
      response_time_ms: expect.any(Number),
      status_code: 200,
      version: 'v1.0.0',
      commit: 'abc',
    });
  });

  test.each([
    [200, '{"status":"starting"}', 'says it is "starting"'],
    [200, '{"ok":true}', 'the answer is not {"status": "healthy"}'],
    [200, '<html>', 'the answer is not {"status": "healthy"}'],
    [200, `{"status":"healthy","more":"${'x'.repeat(100_000)}"}`, 'the answer is not {"status": "healthy"}'],
    [503, '{"status":"unhealthy"}', 'answered 503'],
    [302, '{"status":"healthy"}', 'answered 302'],
  ])('reports %i as down if the body does not match (%#)', async (status, body, error) => {
    const address = await tenant(answering(status, body));
    const probe = await api.health(address, '/api/health', { timeoutMs: 20_000 });
    expect(probe).toMatchObject({ status: 'down', status_code: status, error });
  });

  test('an odd version does not make a healthy tenant unhealthy', async () => {
    const address = await tenant(answering(200, '{"status":"healthy","version":7}'));
    const probe = await api.health(address, '/api/health', { timeoutMs: 20_000 });
    expect(probe.status).toBe('up');
    expect(probe.version).toBeUndefined();
  });
});

describe('calls with the key', () => {
  const stats = { persons: 3, events: 0, tags: 1, segments: 0, communications: 0, database_size_mb: 2 };
  const call = { apiKey, timeoutMs: 20_000 };

  test('stats: sends the key, ignores unknown fields', async () => {
    const address = await tenant((request, response) => {
      const known = request.headers['x-api-key'] === apiKey && request.url === '/api/stats';
      response.writeHead(known ? 200 : 401).end(JSON.stringify({ ...stats, secret: 1 }));
    });
    expect(await api.stats(address, call)).toEqual(stats);
  });

  test('counts persons', async () => {
    const address = await tenant(answering(200, '{"total":3,"by_status":{"active":2,"inactive":1}}'));
    expect(await api.personsCount(address, call)).toEqual({ total: 3, by_status: { active: 2, inactive: 1 } });
  });

  test.each([
    [401, '{"detail":"unknown key"}', 'The tenant answered 401 to /api/stats: unknown key'],
    [404, 'not here', 'The tenant answered 404 to /api/stats'],
    [500, `{"detail":"bad key ${apiKey}"}`, 'The tenant answered 500 to /api/stats'],
    [200, 'no json', 'The tenant’s answer to /api/stats does not match the contract'],
    [200, JSON.stringify({ ...stats, persons: 'many' }), 'persons'],
    [200, `"${'x'.repeat(2_000_000)}"`, 'longer than'],
  ])('reports %i as tenant_error (%#)', async (status, body, message) => {
    const address = await tenant(answering(status, body));
    const failure = await api.stats(address, call).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'tenant_error', message: expect.stringContaining(message) });
    expect(String(failure)).not.toContain(apiKey);
  });

  test('reports a tenant that is stopped or hangs as tenant_unreachable', async () => {
    const hanging = await tenant(() => undefined);
    for (const address of [hanging, await closedAddress()]) {
      const failure = await api.stats(address, { apiKey, timeoutMs: 500 }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'tenant_unreachable' });
      expect(String(failure)).not.toContain(apiKey);
    }
  });

  test('a bulk import may have a long reason for each of its rows', async () => {
    const errors = Array.from({ length: 5_000 }, (_, at) => ({ row: at + 1, message: 'no such precinct '.repeat(40) }));
    const figures = { total: 5_000, imported: 0, updated: 0, duplicates: 0, failed: 5_000 };
    const address = await tenant(answering(200, JSON.stringify({ batch_id: 'b', ...figures, errors })));
    const answer = await api.bulkImport(address, {} as never, { apiKey, timeoutMs: 20_000 });
    expect(answer).toMatchObject(figures);
    expect(answer.errors.at(-1)).toEqual({ row: 5_000, message: expect.stringMatching(/^no such precinct .{483}$/) });
  });
});
