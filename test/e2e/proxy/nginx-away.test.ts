import { access, appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { visit } from '../../harness/proxy/visitor.ts';
import { tenantWeb } from '../../harness/servers/tenant-web.ts';

interface Configs {
  configs: { domain: string; path: string; type: string; tenant_id: string; enabled: boolean; state: string }[];
  total: number;
}

describeWithNginx('failures of nginx', () => {
  let proxied: ProxiedApp;
  let neighbour: TenantAnswer;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { healthTimeoutMs: 20_000 });
    await proxied.repository.release('v2.0.0', tenantWeb);
    neighbour = await deployed();
    tenant = await deployed();
  });
  afterAll(() => proxied.destroy());

  async function deployed(fields: Record<string, unknown> = {}): Promise<TenantAnswer> {
    const { app, repository } = proxied;
    const made = await makeTenant(app, repository.path, fields);
    expect(await deploy(app, made.id)).toMatchObject({ status: 'success', error: null });
    return getTenant(app, made.id);
  }
  const call = (method: string, path: string, body?: unknown) =>
    proxied.app.call<Record<string, unknown> & Configs>(method, path, body === undefined ? {} : { body });
  const slugAt = async (domain: string): Promise<string | undefined> => {
    const answer = await visit(proxied.nginx.httpsPort, domain, { tls: {} }).catch(() => undefined);
    return answer?.status === 200 ? JSON.parse(answer.text).slug : undefined;
  };
  const statesOf = async (id: string): Promise<string[]> =>
    (await call('GET', `/api/proxy/configs?tenant_id=${id}`)).body.configs.map(({ state }) => state);
  const siteFile = ({ slug }: TenantAnswer): string => join(proxied.nginx.sites, `${slug}.conf`);
  const warnings = async (id: string): Promise<string[]> => {
    const { body } = await proxied.app.call<{ logs: { message: string }[] }>(
      'GET',
      `/api/logs?tenant_id=${id}&level=warning`,
    );
    return body.logs.map(({ message }) => message);
  };

  test('an edited and a removed site are reported, logged once, and repaired together; shared files too', async () => {
    const { nginx } = proxied;
    const { sites } = proxied.app.manager.app;
    await appendFile(siteFile(tenant), 'server { listen nonsense; }\n');
    await rm(siteFile(neighbour));
    await rm(join(nginx.directory, 'tenantry', 'common'), { recursive: true });
    expect(await statesOf(tenant.id)).toEqual(['edited', 'edited']);
    expect(await statesOf(neighbour.id)).toEqual(['missing', 'missing']);
    const { body } = await call('GET', `/api/proxy/configs?tenant_id=${neighbour.id}`);
    expect(body.configs.map(({ enabled, type }) => [type, enabled])).toEqual([
      ['frontend', false],
      ['api', false],
    ]);
    for (const _look of [1, 2]) await sites.checkDrift();
    expect((await warnings(tenant.id)).filter((message) => message.includes('is edited'))).toHaveLength(1);
    expect((await warnings(neighbour.id)).filter((message) => message.includes('is missing'))).toHaveLength(1);
    expect(String((await call('GET', '/metrics')).body.text)).toContain('tenantry_proxy_sites{state="edited"} 1');

    const repaired = await call('POST', '/api/proxy/reload?repair=true');
    expect(repaired.status).toBe(200);
    expect([...(repaired.body.repaired as string[])].sort()).toEqual([neighbour.slug, tenant.slug].sort());
    for (const one of [tenant, neighbour]) {
      expect(await statesOf(one.id)).toEqual(['in_sync', 'in_sync']);
      expect(await slugAt(String(one.domain))).toBe(one.slug);
    }
    expect((await call('POST', '/api/proxy/test')).body.valid).toBe(true);
  });

  describe('nginx was killed', () => {
    beforeAll(() => proxied.nginx.endAll('SIGKILL'));

    test('a deployment with skip_proxy does not need it', async () => {
      const { app, repository } = proxied;
      await repository.release('v2.1.0', { 'NEWS.md': 'another\n' });
      expect(await deploy(app, tenant.id, { target_version: 'v2.1.0', skip_proxy: true })).toMatchObject({
        status: 'success',
        version: 'v2.1.0',
      });
    });

    test('its health, readiness and the routes of the proxy report it', async () => {
      const { body: health } = await call('POST', `/api/tenants/${tenant.id}/health-check`);
      expect(health).toMatchObject({
        overall_status: 'unhealthy',
        checks: { backend: { status: 'up' }, proxy: { status: 'down', error: expect.stringContaining('refused') } },
      });
      // The units' own results do not change.
      expect(await getTenant(proxied.app, tenant.id)).toMatchObject({ status: 'running' });
      const ready = await until(
        () => call('GET', '/readyz'),
        ({ body }) => body.status === 'degraded',
      );
      expect(ready.body.proxy).toMatchObject({ kind: 'nginx', available: false, detail: expect.any(String) });
      const reload = await call('POST', '/api/proxy/reload');
      expect([reload.status, reload.body.code]).toEqual([503, 'proxy_unavailable']);
    });

    test('other host names are applied when it is back', async () => {
      const { nginx, app } = proxied;
      const domain = `late-${tenant.slug}.example.org`;
      await call('PUT', `/api/tenants/${tenant.id}`, { domain });
      const { body } = await until(
        () =>
          app.call<{ deployments: { kind: string; status: string; error: unknown }[] }>(
            'GET',
            `/api/tenants/${tenant.id}/deployments`,
          ),
        ({ body: { deployments } }) => deployments[0]?.kind === 'proxy' && deployments[0].status === 'failed',
      );
      expect(body.deployments[0]?.error).toMatchObject({ step: 'Configure proxy' });
      expect(await statesOf(tenant.id)).toEqual(['outdated', 'outdated']);
      await nginx.start();
      expect(await slugAt(String(tenant.domain))).toBe(tenant.slug);
      // By a deployment, if nothing else does it first.
      expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
      expect([await slugAt(domain), await slugAt(String(tenant.domain))]).toEqual([tenant.slug, undefined]);
      tenant = await getTenant(app, tenant.id);
    });
  });

  describe('a deletion', () => {
    test('is rejected before anything is removed while nginx is unavailable, unless the site should stay', async () => {
      const { app, nginx } = proxied;
      const other = await deployed();
      await nginx.endAll('SIGKILL');
      const refused = await call('DELETE', `/api/tenants/${other.id}`);
      expect([refused.status, refused.body.code]).toEqual([503, 'proxy_unavailable']);
      expect(await getTenant(app, other.id)).toMatchObject({ status: 'running' });
      const removed = await call('DELETE', `/api/tenants/${other.id}?remove_proxy=false&remove_files=true`);
      expect(removed.body).toMatchObject({ removed: { proxy: false, services: true } });
      await access(siteFile(other));
      await nginx.start();
      const { body } = await call('GET', '/api/proxy/configs?limit=500');
      expect(body.configs.filter(({ state }) => state === 'orphan').map(({ domain }) => domain)).toEqual([
        other.domain,
        other.api_domain,
      ]);
      // The next tenant with its names is served at them.
      const next = await deployed({ domain: other.domain, api_domain: `other-${String(other.api_domain)}` });
      expect(await slugAt(String(other.domain))).toBe(next.slug);
      await expect(access(siteFile(other))).rejects.toThrow('ENOENT');
      expect((await call('DELETE', `/api/tenants/${next.id}?remove_files=true`)).status).toBe(200);
    });

    test('with a broken configuration shows nginx’s own words, and succeeds after a repair', async () => {
      const { nginx } = proxied;
      const other = await deployed();
      const broken = join(nginx.sites, 'by-hand.conf');
      await writeFile(broken, 'nonsense;\n');
      const refused = await call('DELETE', `/api/tenants/${other.id}?remove_files=true`);
      expect(refused.status).toBe(503);
      expect(String(refused.body.detail)).toContain('unknown directive "nonsense"');
      expect(await slugAt(String(other.domain))).toBe(other.slug);
      await rm(broken);
      expect((await call('DELETE', `/api/tenants/${other.id}?remove_files=true`)).body).toMatchObject({
        removed: { proxy: true, services: true, files: true },
      });
    });
  });
});
