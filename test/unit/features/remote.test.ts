import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { createTenantApi } from '../../../src/adapters/tenant-api/tenant-api.ts';
import { createRemote } from '../../../src/features/remote/remote.ts';
import type { Tenant } from '../../../src/features/tenants/tenant.ts';
import { notFound } from '../../../src/lib/errors.ts';
import { errorMiddleware } from '../../../src/lib/http/responses/errors.ts';
import { mountRoutes } from '../../../src/lib/http/routing/mount.ts';
import { newId } from '../../../src/lib/ids.ts';
import { createLogger } from '../../../src/lib/logger.ts';

const apiKey = 'the-key-of-this-tenant';
const tenantApi = createTenantApi();
let backend: Server;
let answer: RequestListener = () => undefined;

beforeAll(async () => {
  backend = createServer((incoming, response) => answer(incoming, response));
  await new Promise<void>((resolve) => backend.listen(0, '127.0.0.1', resolve));
});
afterEach(() => backend.closeAllConnections());
afterAll(async () => {
  await tenantApi.close();
  await new Promise((resolve) => backend.close(resolve));
});

function app(fields: Partial<Tenant> = {}) {
  const tenant: Tenant = {
    id: newId(),
    name: 'Green',
    slug: 'green',
    domain: 'a.example',
    apiDomain: 'b.example',
    status: 'running',
    healthStatus: 'unknown',
    healthDetails: null,
    healthSince: null,
    frontendPort: 1,
    backendPort: (backend.address() as AddressInfo).port,
    directory: '/nowhere',
    databaseSlot: 0,
    lostData: null,
    gitRepo: null,
    notes: null,
    tags: [],
    createdAt: new Date(),
    deployedAt: new Date(),
    deployed: {
      version: null,
      commit: 'a'.repeat(40),
      key: 'x',
      checkout: '/nowhere',
      units: { api: { port: 1, health: '/' }, frontend: { port: 1, health: '/' } },
      database: null,
    },
    ...fields,
  };
  const remote = createRemote({
    tenants: {
      async get(id) {
        if (id !== tenant.id) throw notFound('tenant', id);
        return tenant;
      },
    },
    runtime: { address: async (_unit, port) => ({ host: '127.0.0.1', port }) },
    tenantApi,
    apiKeyOf: async () => apiKey,
    timeoutMs: 300,
  });
  const principal = { userId: newId(), username: 'v', role: 'viewer' as const, mustChangePassword: false };
  const server = express()
    .use(mountRoutes(remote.routes, { authenticate: async () => principal, checkAnswers: true }))
    .use(errorMiddleware(createLogger({ level: 'silent' })));
  return {
    stats: () => request(server).get(`/api/tenants/${tenant.id}/remote/stats`),
    count: () => request(server).get(`/api/tenants/${tenant.id}/remote/persons/count`),
    elsewhere: () => request(server).get(`/api/tenants/${newId()}/remote/stats`),
  };
}

const json =
  (status: number, body: unknown): RequestListener =>
  (_incoming, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };

describe('remote calls', () => {
  test('return stats and count as the tenant reports them, with its key', async () => {
    const said = { persons: 5, events: 1, tags: 2, segments: 0, communications: 9, database_size_mb: 3 };
    answer = (incoming, response) => {
      const known = incoming.headers['x-api-key'] === apiKey;
      const body =
        incoming.url === '/api/stats' ? { ...said, extra: 1 } : { total: 5, by_status: { active: 4, inactive: 1 } };
      json(known ? 200 : 401, body)(incoming, response);
    };
    const stats = await app().stats();
    expect([stats.status, stats.body]).toEqual([200, said]);
    const count = await app().count();
    expect([count.status, count.body]).toEqual([200, { total: 5, by_status: { active: 4, inactive: 1 } }]);
  });

  test('before the first deployment: 409; an unknown tenant: 404', async () => {
    const pending = await app({ deployed: null }).stats();
    expect([pending.status, pending.body.code]).toEqual([409, 'not_deployed']);
    expect((await app().elsewhere()).status).toBe(404);
  });

  test.each([
    ['an application without this page', json(404, { detail: 'Not Found' }), 'tenant_error', '404'],
    ['a failing one', json(500, {}), 'tenant_error', '500'],
    ['one that rejects the key', json(401, { detail: `no such key: ${apiKey}` }), 'tenant_error', '401'],
    ['one with another response', json(200, { persons: 'many' }), 'tenant_error', 'does not match the contract'],
    ['a hanging one', (() => undefined) as RequestListener, 'tenant_unreachable', 'within 300 ms'],
  ])('%s: 502', async (_name, listener, code, detail) => {
    answer = listener;
    const response = await app().stats();
    expect([response.status, response.body.code]).toEqual([502, code]);
    expect(response.body.detail).toContain(detail);
    expect(JSON.stringify(response.body)).not.toContain(apiKey);
  });

  test('a tenant that does not listen: 502', async () => {
    const response = await app({ backendPort: 1 }).count();
    expect([response.status, response.body.code]).toEqual([502, 'tenant_unreachable']);
  });
});
