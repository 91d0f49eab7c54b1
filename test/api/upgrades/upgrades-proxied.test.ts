import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { configsOf, type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { keepVisiting, visit } from '../../harness/proxy/visitor.ts';
import { freePort } from '../../harness/servers/ports.ts';
import { tenantWeb } from '../../harness/servers/tenant-web.ts';

describeWithNginx('upgrades behind nginx', () => {
  let proxied: ProxiedApp;
  let neighbour: TenantAnswer;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { healthTimeoutMs: 4_000 });
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

  /** The targets of both names, and whether nginx has what the manager reports. */
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

  /** Other ports apply from the next start: the site has to follow them, and to be rolled back. */
  async function changePorts(): Promise<void> {
    const body = { frontend_port: await freePort(), backend_port: await freePort() };
    expect((await proxied.app.call('PUT', `/api/tenants/${tenant.id}`, { body })).status).toBe(200);
  }
  const upgrade = (body: Record<string, unknown>) =>
    proxied.app.call<{ detail?: string }>('POST', `/api/tenants/${tenant.id}/upgrade`, { body });

  test('a failed one is rolled back there too, and a successful one is verified there; the other tenant is unaffected', async () => {
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

  test('fails if the proxy does not serve its names', async () => {
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
    );
    await assertServed('v2.1.0');
  });
});
