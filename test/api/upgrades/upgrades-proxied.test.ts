import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configsOf, type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { deploy, getTenant, makeTenant, maxOperationMs, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { keepVisiting, visit } from '../../harness/proxy/visitor.ts';
import { freePort } from '../../harness/servers/ports.ts';
import { tenantWeb } from '../../harness/servers/tenant-web.ts';

describeWithNginx('upgrades behind nginx', () => {
  let proxied: ProxiedApp;
  let neighbour: TenantAnswer;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { healthTimeoutMs: 10_000 });
    const { repository } = proxied;
    for (const version of ['v2.0.0', 'v2.1.0']) await repository.release(version, { ...tenantWeb, NEWS: version });
    await repository.release('v2.2.0', { 'server.js': 'process.exit(3);' });
    [neighbour, tenant] = [await deployed(), await deployed()];
  });
  afterAll(() => proxied.destroy());

  async function deployed(): Promise<TenantAnswer> {
    const { app, repository } = proxied;
    const { id } = await makeTenant(app, repository.path);
    expect(await deploy(app, id, { target_version: 'v2.0.0' })).toMatchObject({ status: 'success', error: null });
    return getTenant(app, id);
  }

  /** What both names lead to, and whether nginx has what the manager says it has. */
  async function assertServed(version: string): Promise<void> {
    for (const domain of [tenant.domain, tenant.api_domain]) {
      const { status, text } = await visit(proxied.nginx.httpsPort, String(domain), { tls: {} });
      expect([status, JSON.parse(text)]).toEqual([200, expect.objectContaining({ slug: tenant.slug, version })]);
    }
    const configs = await configsOf(proxied.app, `tenant_id=${tenant.id}`);
    expect(configs.map(({ state }) => state)).toEqual(['in_sync', 'in_sync']);
    expect((await proxied.app.call('POST', `/api/tenants/${tenant.id}/health-check`)).body).toMatchObject({
      overall_status: 'healthy',
    });
  }

  /** Other ports count from the next start: the site has to follow them, and to come back. */
  async function changePorts(): Promise<void> {
    const body = { frontend_port: await freePort(), backend_port: await freePort() };
    expect((await proxied.app.call('PUT', `/api/tenants/${tenant.id}`, { body })).status).toBe(200);
  }
  const upgrade = (body: Record<string, unknown>) =>
    proxied.app.call<{ detail?: string }>('POST', `/api/tenants/${tenant.id}/upgrade`, { body });

  test('one that fails is taken back there, too, and a good one is proven there; the neighbour notices nothing', async () => {
    const visiting = keepVisiting(proxied.nginx.httpsPort, String(neighbour.domain), { tls: {} });
    await changePorts();
    const failed = await upgrade({ target_version: 'v2.2.0' });
    expect([failed.status, failed.body.detail]).toEqual([502, expect.stringContaining('Rolled back')]);
    await assertServed('v2.0.0');
    const { status, body } = await upgrade({ target_version: 'v2.1.0' });
    expect([status, body]).toEqual([200, expect.objectContaining({ new_version: 'v2.1.0' })]);
    await assertServed('v2.1.0');
    expect((await visiting.stop()).failures).toEqual([]);
  });

  test('one whose names the proxy does not serve is none', async () => {
    await proxied.nginx.stop();
    const { status, body } = await upgrade({ target_version: 'v2.0.0', allow_downgrade: true });
    expect(status).toBe(502);
    expect(body.detail).toMatch(
      /Health check: .* is not reached through the proxy.* Rolled back: .* proven healthy; but .* through the proxy/,
    );
    expect((await getTenant(proxied.app, tenant.id)).status).toBe('running');
    await proxied.nginx.start();
    await until(
      async () => (await proxied.app.call('POST', `/api/tenants/${tenant.id}/health-check`)).body.overall_status,
      (overall) => overall === 'healthy',
      maxOperationMs,
    );
    await assertServed('v2.1.0');
  });
});
