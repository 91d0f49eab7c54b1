import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, sharedApp } from '../harness/app/app.ts';
import { makeFixtureRepository } from '../harness/data/fixture-repository.ts';
import { deploy, makeTenant, type TenantAnswer } from '../harness/data/tenants.ts';

let directory: string;
let app: App;
let tenant: TenantAnswer;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-proxy-api-'));
  const repository = await makeFixtureRepository(join(directory, 'repository'));
  app = await sharedApp();
  tenant = await makeTenant(app, repository.path);
  expect((await deploy(app, tenant.id)).status).toBe('success');
});
afterAll(async () => {
  await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  await rm(directory, { recursive: true, force: true });
});

test('without a proxy: nothing to reload or test, no configurations, and no proxy in health and readiness', async () => {
  for (const path of ['/api/proxy/reload', '/api/proxy/reload?repair=true', '/api/proxy/test']) {
    const { status, body } = await app.call('POST', path);
    expect([path, status, body.code]).toEqual([path, 503, 'proxy_unavailable']);
  }
  expect((await app.call('GET', '/api/proxy')).body).toEqual({
    kind: 'none',
    available: false,
    detail: '',
    warnings: [],
    sites: {},
    last_change: null,
  });
  const configs = await app.call('GET', '/api/proxy/configs');
  expect(configs.body).toEqual({ configs: [], total: 0, limit: 50, offset: 0 });
  const site = await app.call('GET', `/api/tenants/${tenant.id}/proxy`);
  expect(site.body).toMatchObject({ kind: 'none', state: 'none', path: null, configuration: null, certificates: [] });
  const health = await app.call<{ checks: object }>('POST', `/api/tenants/${tenant.id}/health-check`);
  expect(health.body).toMatchObject({ overall_status: 'healthy', certificate: null });
  expect(health.body.checks).not.toHaveProperty('proxy');
  expect((await app.call('GET', '/readyz')).body).not.toHaveProperty('proxy');
  // Other host names do not change any site.
  const domain = `other-${tenant.slug}.example.org`;
  expect((await app.call('PUT', `/api/tenants/${tenant.id}`, { body: { domain } })).status).toBe(200);
  await app.manager.app.sites.checkDrift();
  const { body } = await app.call<{ deployments: { kind: string }[] }>('GET', `/api/tenants/${tenant.id}/deployments`);
  expect(body.deployments.map(({ kind }) => kind)).toEqual(['deploy']);
});

test.each([
  ['/api/proxy/configs?tenant_id=none', 400],
  ['/api/proxy/configs?limit=0', 400],
  ['/api/proxy/configs?tenant_id=00000000-0000-4000-8000-000000000000', 200],
  ['/api/tenants/00000000-0000-4000-8000-000000000000/proxy', 404],
])('GET %s returns %i', async (path, status) => {
  expect((await app.call('GET', path)).status).toBe(status);
});
