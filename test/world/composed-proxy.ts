import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { HealthReport } from '../../src/features/health/schema.ts';
import { composeObstacle } from '../harness/app/compose.ts';
import { ComposedManager } from '../harness/app/composed-manager.ts';
import { type TenantAnswer, until } from '../harness/data/tenants.ts';
import { describeWithEngine } from '../harness/engine/engine.ts';
import { keepVisiting, type Visit, visit } from '../harness/proxy/visitor.ts';
import { freePort } from '../harness/servers/ports.ts';

/** Tests of a profile of compose.yaml. @param environment in addition to what it needs, as in .env */
export function describeComposedProxy(profile: 'nginx' | 'traefik', environment: Record<string, string> = {}): void {
  const obstacle = composeObstacle();
  describeWithEngine(`the ${profile} profile of docker compose`, () => {
    if (obstacle !== undefined && process.env.CI !== 'true') {
      test.skip(`skipped: ${obstacle}`, () => undefined);
      return;
    }
    defineTests(profile, environment);
  });
}

function defineTests(profile: 'nginx' | 'traefik', environment: Record<string, string>): void {
  const mark = Date.now().toString(36);
  const domainOf = ({ slug }: { slug: string }) => `${slug}.example.org`;
  let manager: ComposedManager;
  let httpPort: number;
  let httpsPort: number;
  let first: TenantAnswer;

  /** The response to a visitor on this machine's published ports, as soon as it is served. */
  async function served(domain: string, path: string): Promise<Visit> {
    const answer = await until(
      () => visit(httpsPort, domain, { path, tls: {} }).catch(() => undefined),
      (reply) => reply?.status === 200,
    );
    return answer as Visit;
  }
  async function expectServed(tenant: TenantAnswer): Promise<void> {
    expect((await served(domainOf(tenant), '/')).headers['content-type']).toMatch(/^text\/html/);
    const api = await served(`api.${domainOf(tenant)}`, '/api/health');
    expect(JSON.parse(api.text)).toMatchObject({ status: 'healthy' });
  }

  beforeAll(async () => {
    [httpPort, httpsPort] = [await freePort(), await freePort()];
    manager = await ComposedManager.create({
      ...environment,
      COMPOSE_PROFILES: profile,
      CERTIFICATES: 'self-signed',
      PROXY_HTTP_PORT: String(httpPort),
      PROXY_HTTPS_PORT: String(httpsPort),
    });
  });
  afterAll(async () => {
    expect(await manager.remove()).toEqual([]);
  });

  test('is healthy with the manager’s own configuration, without tenants', async () => {
    await manager.up('--build');
    await manager.signIn();
    expect(await manager.call('POST', '/api/proxy/test')).toMatchObject({ status: 200, body: { valid: true } });
    expect((await visit(httpPort, 'nobody.example.org')).status).toBe(404);
  });

  test('serves a tenant by its host names, over TLS', async () => {
    const { tenant, deployment } = await manager.deploy(`first-${mark}`);
    expect(deployment).toMatchObject({ status: 'success', error: null });
    for (const name of ['Configure proxy', 'Setup SSL'])
      expect(deployment.steps.find((step) => step.name === name)).toMatchObject({ status: 'success' });
    first = tenant;
    await expectServed(first);
    const { status, headers } = await visit(httpPort, domainOf(first));
    expect([status, headers.location]).toEqual([
      profile === 'nginx' ? 308 : 301,
      `https://${domainOf(first)}:${httpsPort}/`,
    ]);
    const { body } = await manager.call<HealthReport>('POST', `/api/tenants/${first.id}/health-check`);
    expect(body).toMatchObject({ overall_status: 'healthy', checks: { proxy: { status: 'up' } } });
  });

  test('keeps serving it while another tenant is created and deleted', async () => {
    const poll = keepVisiting(httpsPort, domainOf(first), { tls: {} });
    const { tenant, deployment } = await manager.deploy(`second-${mark}`);
    expect(deployment).toMatchObject({ status: 'success', error: null });
    await expectServed(tenant);
    const removed = await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    expect([removed.status, removed.body.removed]).toEqual([200, expect.objectContaining({ proxy: true })]);
    const { visits, failures } = await poll.stop();
    expect(failures).toEqual([]);
    expect(visits).toBeGreaterThan(0);
    expect((await visit(httpPort, domainOf(tenant))).status).toBe(404);
  });

  test('serves it after a new container of the proxy, the tenant or the manager', async () => {
    await manager.up('--force-recreate', '--no-deps', profile);
    await expectServed(first);
    expect((await manager.call('POST', `/api/tenants/${first.id}/restart`)).status).toBe(200);
    await expectServed(first);
    await manager.up('--force-recreate', '--no-deps', 'manager');
    await expectServed(first);
    expect((await manager.call('POST', '/api/proxy/reload')).status).toBe(200);
    await expectServed(first);
  });

  test('reports a stopped one, and the tenant keeps running', async () => {
    await manager.project.compose('stop', profile);
    expect(await manager.call('POST', '/api/proxy/test')).toMatchObject({
      status: 503,
      body: {
        code: 'proxy_unavailable',
        detail: expect.stringContaining(profile === 'nginx' ? 'not running' : 'does not answer'),
      },
    });
    const restarted = await manager.call('POST', `/api/tenants/${first.id}/restart`);
    expect([restarted.status, restarted.body.services]).toEqual([200, { frontend: 'active', backend: 'active' }]);
    await manager.up(profile);
    await expectServed(first);
  });

  test('deleting the tenant removes its sites and its network', async () => {
    const { status, body } = await manager.call('DELETE', `/api/tenants/${first.id}?remove_files=true`);
    expect([status, body.removed]).toEqual([200, expect.objectContaining({ proxy: true, services: true })]);
    expect(await manager.labelled(`org.tenantry.instance=${manager.instance}`)).toEqual([]);
    expect((await visit(httpPort, domainOf(first))).status).toBe(404);
    expect(await manager.call('GET', '/api/proxy/configs')).toMatchObject({ status: 200, body: { configs: [] } });
  });
}
