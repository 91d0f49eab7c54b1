import { access, appendFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { configsOf, type ProxiedApp, proxyOf, startProxiedApp } from '../../harness/app/proxied-app.ts';
import {
  askDeploy,
  deploy,
  endOf,
  getTenant,
  makeTenant,
  setEnvironment,
  type TenantAnswer,
} from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { type Visit, visit } from '../../harness/proxy/visitor.ts';

describeWithNginx('nginx problems', () => {
  let proxied: ProxiedApp;
  let tenants: TenantAnswer[];
  const [a, b, c] = [() => tenantAt(0), () => tenantAt(1), () => tenantAt(2)];

  beforeAll(async () => {
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { healthTimeoutMs: 4_000 });
    const { app, repository } = proxied;
    tenants = [];
    for (let number = 0; number < 3; number += 1) tenants.push(await makeTenant(app, repository.path));
    const deployments = await Promise.all(tenants.map(({ id }) => askDeploy(app, id)));
    for (const id of deployments) expect(await endOf(app, id)).toMatchObject({ status: 'success', error: null });
  });
  afterAll(() => proxied.destroy());

  const tenantAt = (index: number): TenantAnswer => {
    const tenant = tenants[index];
    if (!tenant) throw new Error(`There is no tenant ${index}`);
    return tenant;
  };
  const fileOf = ({ slug }: TenantAnswer): string => join(proxied.nginx.sites, `${slug}.conf`);
  const served = ({ slug }: TenantAnswer): Promise<Visit> =>
    visit(proxied.nginx.httpsPort, `${slug}.example.org`, { tls: {} });
  const reload = (query = '') => proxied.app.call('POST', `/api/proxy/reload${query}`);
  async function stateOf({ id }: TenantAnswer): Promise<string[]> {
    return (await configsOf(proxied.app, `tenant_id=${id}`)).map(({ state }) => state);
  }
  async function expectServed(...which: TenantAnswer[]): Promise<void> {
    for (const tenant of which) expect((await served(tenant)).status).toBe(200);
  }

  test('configurations are paged by entry, by host name, and filtered by tenant', async () => {
    const { app } = proxied;
    const all = await configsOf(app);
    expect(all.map(({ type }) => type)).toEqual(['frontend', 'api', 'frontend', 'api', 'frontend', 'api']);
    const frontends = all.filter(({ type }) => type === 'frontend').map(({ domain }) => domain);
    expect(frontends).toEqual(tenants.map(({ slug }) => `${slug}.example.org`).sort());
    for (const [limit, offset] of [
      [1, 0],
      [1, 1],
      [2, 1],
      [3, 1],
      [3, 2],
      [4, 3],
      [500, 5],
      [5, 6],
    ] as const) {
      const { body } = await app.call('GET', `/api/proxy/configs?limit=${limit}&offset=${offset}`);
      expect(body).toEqual({ configs: all.slice(offset, offset + limit), total: 6, limit, offset });
    }
    expect(await configsOf(app, `tenant_id=${b().id}&limit=1&offset=1`)).toEqual([
      expect.objectContaining({ type: 'api', domain: `api.${b().slug}.example.org`, enabled: true, state: 'in_sync' }),
    ]);
  });

  test('viewers read, operators test, administrators reload', async () => {
    const { app } = proxied;
    const calls = [
      ['GET', '/api/proxy/configs'],
      ['GET', `/api/tenants/${a().id}/proxy`],
      ['POST', '/api/proxy/test'],
      ['POST', '/api/proxy/reload'],
    ] as const;
    const statuses = async (role: 'viewer' | 'operator' | 'admin'): Promise<number[]> => {
      const { token } = await app.userOf(role);
      return Promise.all(calls.map(async ([method, path]) => (await app.call(method, path, { token })).status));
    };
    const pathsFor = async (role: 'viewer' | 'operator'): Promise<unknown[]> => {
      const { token } = await app.userOf(role);
      const { body } = await app.call<{ configs: { path: unknown }[] }>('GET', '/api/proxy/configs', { token });
      const { path, configuration } = (await app.call('GET', `/api/tenants/${a().id}/proxy`, { token })).body;
      return [body.configs[0]?.path, path, configuration];
    };
    expect(await pathsFor('viewer')).toEqual([null, null, null]);
    expect(await pathsFor('operator')).toEqual([fileOf(a()), fileOf(a()), expect.stringContaining('server')]);
    expect(await statuses('viewer')).toEqual([200, 200, 403, 403]);
    expect(await statuses('operator')).toEqual([200, 200, 200, 403]);
    expect(await statuses('admin')).toEqual([200, 200, 200, 200]);
  });

  test('an invalid manual edit: reported, blocks reloads and deployments, affects no other site; repaired on request', async () => {
    const { app, repository } = proxied;
    await appendFile(fileOf(a()), 'nonsense on;\n');
    expect(await stateOf(a())).toEqual(['edited', 'edited']);
    await app.manager.app.sites.checkDrift();
    const { body: journal } = await app.call<{ logs: { message: string }[] }>('GET', `/api/logs?tenant_id=${a().id}`);
    expect(journal.logs.map(({ message }) => message)).toContain(
      `The proxy’s configuration of ${a().slug} is edited: ${fileOf(a())}; POST /api/proxy/reload?repair=true repairs it`,
    );

    const words = 'unknown directive "nonsense"';
    const tested = await app.call<{ valid: boolean; output: string }>('POST', '/api/proxy/test');
    expect(tested.body).toMatchObject({ valid: false, output: expect.stringContaining(words) });
    const refused = await reload();
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_state']);
    expect(refused.body.detail).toContain(words);
    expect(refused.body.detail).toContain(fileOf(a()));

    const newcomer = await makeTenant(app, repository.path);
    const failed = await deploy(app, newcomer.id);
    expect(failed).toMatchObject({ status: 'failed', error: { step: 'Configure proxy' } });
    expect(failed.error?.message).toContain(words);
    expect(failed.error?.message).not.toMatch(/rolled back|restored/);
    expect(await configsOf(app, `tenant_id=${newcomer.id}`)).toEqual([]);
    await expect(access(fileOf(newcomer))).rejects.toMatchObject({ code: 'ENOENT' });
    await expectServed(a(), b(), c());

    const repaired = await reload('?repair=true');
    expect([repaired.status, repaired.body.repaired]).toEqual([200, [a().slug]]);
    expect(await stateOf(a())).toEqual(['in_sync', 'in_sync']);
    expect((await app.call('POST', '/api/proxy/test')).body).toMatchObject({ valid: true });
  });

  test('repairs several broken files and a removed one together', async () => {
    await writeFile(fileOf(a()), 'broken {\n');
    await appendFile(fileOf(b()), 'nonsense on;\n');
    await rm(fileOf(c()));
    expect([await stateOf(a()), await stateOf(b()), await stateOf(c())].map(([first]) => first)).toEqual([
      'edited',
      'edited',
      'missing',
    ]);
    expect((await configsOf(proxied.app, `tenant_id=${c().id}`)).map(({ enabled }) => enabled)).toEqual([false, false]);
    const repaired = await reload('?repair=true');
    expect(repaired).toMatchObject({ status: 200, body: { repaired: expect.any(Array) } });
    expect([...(repaired.body.repaired as string[])].sort()).toEqual(tenants.map(({ slug }) => slug).sort());
    expect((await configsOf(proxied.app)).map(({ state }) => state)).toEqual(Array(6).fill('in_sync'));
    await expectServed(a(), b(), c());
  });

  test('names a broken foreign file, and does not touch it', async () => {
    const foreign = join(proxied.nginx.sites, 'by-hand.conf');
    await writeFile(foreign, 'nonsense on;\n');
    await rm(fileOf(a()));
    const refused = await reload('?repair=true');
    expect([refused.status, refused.body.code]).toEqual([409, 'invalid_state']);
    expect(refused.body.detail).toContain(foreign);
    await expectServed(a(), b());
    expect(await readFile(foreign, 'utf8')).toBe('nonsense on;\n');
    await rm(foreign);
    expect((await reload('?repair=true')).body.repaired).toEqual([a().slug]);
  });

  test('reports a copy of a site’s file as an orphan', async () => {
    const copy = join(proxied.nginx.sites, 'copy.conf');
    await writeFile(copy, await readFile(fileOf(a()), 'utf8'));
    const entry = (type: string) => expect.objectContaining({ path: copy, type, state: 'orphan', tenant_id: a().id });
    const configs = await configsOf(proxied.app, `tenant_id=${a().id}&limit=500`);
    expect(configs.slice(2)).toEqual([entry('frontend'), entry('api')]);
    expect(configs.slice(0, 2).map(({ state }) => state)).toEqual(['in_sync', 'in_sync']);
    await rm(copy);
  });

  test('nginx killed: operations that need it fail and are undone, others continue; after a start, all work', async () => {
    const { app, nginx } = proxied;
    const before = await proxyOf(app, a().id);
    await nginx.endAll('SIGKILL');

    const failed = await deploy(app, a().id);
    expect(failed).toMatchObject({ status: 'failed', error: { step: 'Configure proxy' } });
    expect(failed.error?.message).toContain('nginx could not be reloaded');
    expect(failed.error?.message).not.toMatch(/rolled back|restored/);
    expect((await getTenant(app, a().id)).status).toBe('running');
    expect((await fetch(`http://127.0.0.1:${a().backend_port}/api/health`)).status).toBe(200);
    expect(await proxyOf(app, a().id)).toEqual(before);

    // Units with a new configuration at their old ports don't need nginx; at new ports they do, and are rolled back.
    await setEnvironment(app, c().id, { CHANGED: 'yes' });
    expect((await app.call('POST', `/api/tenants/${c().id}/restart`)).status).toBe(200);
    const { body: ports } = await app.call('GET', '/api/ports/next-available');
    expect((await app.call('PUT', `/api/tenants/${c().id}`, { body: ports })).status).toBe(200);
    const restart = await app.call('POST', `/api/tenants/${c().id}/restart`);
    expect([restart.status, restart.body.code]).toEqual([503, 'proxy_unavailable']);
    expect((await fetch(`http://127.0.0.1:${c().backend_port}/api/health`)).status).toBe(200);

    await nginx.start();
    await expectServed(a(), b(), c());
    expect(await deploy(app, a().id)).toMatchObject({ status: 'success', error: null });
    expect((await app.call('POST', `/api/tenants/${c().id}/restart`)).status).toBe(200);
    await expectServed(c());
    expect((await proxyOf(app, c().id)).configuration).toContain(`127.0.0.1:${ports.backend_port};`);
    expect((await configsOf(app)).map(({ state }) => state)).toEqual(Array(6).fill('in_sync'));
  });

  test('rejects a malicious host name from any source; no other site is affected', async () => {
    const { app } = proxied;
    const rename = (to: string, from: string): void => {
      const database = new BetterSqlite(join(app.directory, 'data', 'tenantry.db'));
      database.prepare('UPDATE tenant_domains SET domain = ? WHERE domain = ?').run(to, from);
      database.close();
    };
    const [good, hostile] = [`${a().slug}.example.org`, 'evil.example; } server { listen 81; server_name x'];
    const before = (await proxyOf(app, a().id)).configuration;
    rename(hostile, good);

    const failed = await deploy(app, a().id);
    expect(failed).toMatchObject({ status: 'failed', error: { step: 'Configure proxy' } });
    expect(failed.error?.message).toContain('This host name cannot stand in a proxy’s configuration');
    expect(failed.error?.message).not.toMatch(/rolled back|restored/);
    expect((await proxyOf(app, a().id)).configuration).toBe(before);
    expect(await stateOf(a())).toEqual(['outdated', 'outdated']);
    await app.manager.app.sites.checkDrift();
    await expectServed(a(), b(), c());
    expect(await deploy(app, b().id)).toMatchObject({ status: 'success', error: null });

    // A tenant that has no site yet can still be checked.
    const other = await makeTenant(app, proxied.repository.path);
    expect((await deploy(app, other.id, { skip_proxy: true })).status).toBe('success');
    rename(`${hostile}2`, `${other.slug}.example.org`);
    expect(await proxyOf(app, other.id)).toMatchObject({ state: 'none', configuration: null });
    expect((await app.call('DELETE', `/api/tenants/${other.id}?remove_files=true`)).status).toBe(200);

    rename(good, hostile);
    expect(await deploy(app, a().id)).toMatchObject({ status: 'success', error: null });
  });

  test('without a proxy its steps are skipped and health ignores it; with it everything works as before', async () => {
    await proxied.restart({ PROXY: 'none', CERTIFICATES: 'none' });
    const skipped = await deploy(proxied.app, a().id);
    expect(
      skipped.steps.filter(({ status }) => status === 'skipped').map(({ name, reason }) => [name, reason]),
    ).toEqual(['Configure proxy', 'Setup SSL'].map((name) => [name, 'no reverse proxy is configured (PROXY=none)']));
    expect(await configsOf(proxied.app)).toEqual([]);
    expect(await proxyOf(proxied.app, a().id)).toMatchObject({ kind: 'none', state: 'none', configuration: null });
    for (const action of ['reload', 'reload?repair=true', 'test'])
      expect((await proxied.app.call('POST', `/api/proxy/${action}`)).body.code).toBe('proxy_unavailable');
    const health = await proxied.app.call('POST', `/api/tenants/${a().id}/health-check`);
    expect(health.body).toMatchObject({ overall_status: 'healthy' });
    expect(health.body.checks).not.toHaveProperty('proxy');
    await proxied.app.manager.app.sites.checkDrift();

    await proxied.restart();
    expect((await configsOf(proxied.app)).map(({ state }) => state)).toEqual(Array(6).fill('in_sync'));
    await expectServed(a(), b(), c());
  });
});
