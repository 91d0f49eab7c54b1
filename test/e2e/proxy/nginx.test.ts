import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { configsOf, type ProxiedApp, proxyOf, siteOperation, startProxiedApp } from '../../harness/app/proxied-app.ts';
import {
  deploy,
  getDeployment,
  getTenant,
  makeTenant,
  setEnvironment,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { keepVisiting, type Visit, visit } from '../../harness/proxy/visitor.ts';

describeWithNginx('Changes of a tenant’s site in nginx', () => {
  let proxied: ProxiedApp;
  let neighbour: TenantAnswer;
  let visiting: ReturnType<typeof keepVisiting>;

  beforeAll(async () => {
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { healthTimeoutMs: 4_000 });
    neighbour = await deployed();
  });
  afterAll(() => proxied.destroy());

  // Visitors of this one notice nothing of the others' changes.
  beforeEach(() => {
    visiting = keepVisiting(proxied.nginx.httpsPort, `${neighbour.slug}.example.org`, { tls: {} });
  });
  afterEach(async () => {
    const { visits, failures } = await visiting.stop();
    expect(failures).toEqual([]);
    expect(visits).toBeGreaterThan(1);
  });

  async function deployed(fields: Record<string, unknown> = {}): Promise<TenantAnswer> {
    const tenant = await makeTenant(proxied.app, proxied.repository.path, fields);
    const deployment = await deploy(proxied.app, tenant.id, { target_version: 'v1.0.0' });
    expect(deployment).toMatchObject({ status: 'success', error: null });
    return tenant;
  }

  const secure = (domain: string, path = '/'): Promise<Visit> =>
    visit(proxied.nginx.httpsPort, domain, { path, tls: {} });
  const plain = (domain: string, path = '/'): Promise<Visit> => visit(proxied.nginx.httpPort, domain, { path });
  const restart = async (id: string) => (await proxied.app.call('POST', `/api/tenants/${id}/restart`)).status;

  test('the site follows changed host names automatically, with a certificate for the new ones', async () => {
    const { app } = proxied;
    const tenant = await deployed();
    const [before] = (await proxyOf(app, tenant.id)).certificates;
    const names = { domain: `new-${tenant.slug}.example.org`, api_domain: `api.new-${tenant.slug}.example.org` };
    expect((await app.call('PUT', `/api/tenants/${tenant.id}`, { body: names })).status).toBe(200);
    expect(await siteOperation(app, tenant.id)).toMatchObject({ kind: 'proxy', status: 'success', error: null });

    const { certificates } = await proxyOf(app, tenant.id);
    const after = certificates.find((one) => one.names.includes(names.domain));
    expect(after?.names).toEqual([names.domain, names.api_domain]);
    expect(await secure(names.domain)).toMatchObject({ status: 200, tls: { fingerprint: after?.fingerprint } });
    expect((await secure(names.api_domain, '/api/health')).status).toBe(200);
    expect(after?.fingerprint).not.toBe(before?.fingerprint);
    for (const old of [`${tenant.slug}.example.org`, `api.${tenant.slug}.example.org`])
      expect((await plain(old)).status).toBe(404);
    expect((await configsOf(app, `tenant_id=${tenant.id}`)).map(({ domain, state }) => [domain, state])).toEqual([
      [names.domain, 'in_sync'],
      [names.api_domain, 'in_sync'],
    ]);
  });

  test('a tenant deployed with skip_ssl stays on HTTP when its host names change, until a deployment without it', async () => {
    const { app, repository } = proxied;
    const tenant = await makeTenant(app, repository.path);
    const rename = async (to: string) => {
      const body = { domain: `${to}-${tenant.slug}.example.org`, api_domain: `api.${to}-${tenant.slug}.example.org` };
      expect((await app.call('PUT', `/api/tenants/${tenant.id}`, { body })).status).toBe(200);
      const operation = await siteOperation(app, tenant.id);
      expect(operation).toMatchObject({ kind: 'proxy', status: 'success', error: null });
      const { steps } = await getDeployment(app, operation.id);
      return { domain: body.domain, ssl: steps.find(({ name }) => name === 'Setup SSL')?.status };
    };
    const expectPlain = async (domain: string) => expect((await plain(domain)).status).toBe(200);

    expect(await deploy(app, tenant.id, { skip_ssl: true })).toMatchObject({ status: 'success', error: null });
    const first = await rename('first');
    expect(first.ssl).toBe('skipped');
    await expectPlain(first.domain);

    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
    expect((await plain(first.domain)).status).toBe(308);
    const second = await rename('second');
    expect([second.ssl, (await plain(second.domain)).status]).toEqual(['success', 308]);

    expect(await deploy(app, tenant.id, { skip_ssl: true })).toMatchObject({ status: 'success', error: null });
    const third = await rename('third');
    await expectPlain(third.domain);
    await app.manager.app.sites.renew(new AbortController().signal);
    await expectPlain(third.domain);
  });

  test('a name that one tenant gave up is available to another immediately, or when its site has followed', async () => {
    const { app, repository } = proxied;
    const [giving, taking] = [await deployed(), await makeTenant(app, repository.path)];
    const wanted = `${giving.slug}.example.org`;
    await app.call('PUT', `/api/tenants/${giving.id}`, { body: { domain: `old-${wanted}` } });
    const taken = await app.call('PUT', `/api/tenants/${taking.id}`, { body: { domain: wanted } });
    expect(taken.status).toBe(200);
    expect(await deploy(app, taking.id)).toMatchObject({ status: 'success', error: null });
    expect((await secure(wanted)).text).toContain('1.1.0');
    expect((await secure(`old-${wanted}`)).text).toContain('1.0.0');

    // As after a crash: the tenant was changed, but not the proxy.
    const database = new BetterSqlite(join(app.directory, 'data', 'tenantry.db'));
    const change = database.prepare('UPDATE tenant_domains SET domain = ? WHERE domain = ?');
    change.run(`new-${wanted}`, wanted);
    change.run(wanted, `old-${wanted}`);
    database.close();
    const deployment = await deploy(app, giving.id);
    expect(deployment).toMatchObject({ status: 'success', error: null });
    expect(deployment.logs).toContain(`Waiting: ${wanted} still served for ${taking.slug}`);
    expect((await secure(wanted)).text).toContain('1.0.0');
    expect((await siteOperation(app, taking.id)).status).toBe('success');
    expect((await secure(`new-${wanted}`)).text).toContain('1.1.0');
  });

  test('a failed deployment with other ports returns to the old ones', async () => {
    const { app } = proxied;
    const tenant = await deployed();
    const before = await proxyOf(app, tenant.id);
    const { body: ports } = await app.call('GET', '/api/ports/next-available');
    await app.call('PUT', `/api/tenants/${tenant.id}`, { body: ports });
    await setEnvironment(app, tenant.id, { MODE: 'unhealthy' });
    const failed = await deploy(app, tenant.id);
    expect(failed).toMatchObject({ status: 'failed', error: { step: 'Health check' } });
    expect(failed.error?.message).not.toMatch(/rolled back|restored/);
    expect((await proxyOf(app, tenant.id)).configuration).toBe(before.configuration);
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    const served = await until(
      () => secure(`${tenant.slug}.example.org`),
      ({ status }) => status === 200,
    );
    expect(served.text).toContain('1.0.0');
  });

  test('new names that cannot be served fall back to the old ones, with their certificate', async () => {
    const { app } = proxied;
    const tenant = await deployed();
    const [before] = (await proxyOf(app, tenant.id)).certificates;
    // Reported as running, but it does not respond: the last step of the change checks that.
    const unit = { tenant: spaceOf(await app.manager.app.tenants.get(tenant.id)), role: 'frontend' as const };
    await app.manager.app.runtime.stop(unit);
    await app.call('PUT', `/api/tenants/${tenant.id}`, { body: { domain: `new-${tenant.slug}.example.org` } });
    const operation = await siteOperation(app, tenant.id);
    expect(operation).toMatchObject({ status: 'failed', error: { step: 'Health check' } });
    expect(operation.error?.message).not.toMatch(/rolled back|restored/);
    await app.manager.app.runtime.start(unit);
    const served = await secure(`api.${tenant.slug}.example.org`, '/api/health');
    expect(served).toMatchObject({ status: 200, tls: { fingerprint: before?.fingerprint } });
    expect((await plain(`new-${tenant.slug}.example.org`)).status).toBe(404);
    expect((await configsOf(app, `tenant_id=${tenant.id}`)).map(({ state }) => state)).toEqual([
      'outdated',
      'outdated',
    ]);
    // Not repeatedly: the next check is too early for another attempt; a deployment makes it.
    await app.manager.app.sites.checkDrift();
    expect((await siteOperation(app, tenant.id)).status).toBe('failed');
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
    expect((await secure(`new-${tenant.slug}.example.org`)).status).toBe(200);
  });

  test('the site leads to units that were rolled back after a crash during a restart', async () => {
    const tenant = await deployed();
    const services = () => proxied.app.manager.app;
    const { body: ports } = await proxied.app.call('GET', '/api/ports/next-available');
    await proxied.app.call('PUT', `/api/tenants/${tenant.id}`, { body: ports });
    // The state in the middle of a restart: new units run, nginx leads to them, but they are not committed. Under the tenant's
    // lock, like a restart: otherwise the manager rolls back units that are not committed, once a minute.
    const changed = await services().tenants.get(tenant.id);
    const work = { log: () => undefined, signal: new AbortController().signal };
    const during = await services().engine.exclusive(tenant.id, 'restart', async () => {
      for (const spec of await services().deployments.specsOf(changed)) await services().runtime.stage(spec, work);
      await services().runtime.activate(spaceOf(changed), work);
      if (changed.deployed) await services().sites.steps.follow(changed, changed.deployed, work, 60_000);
      expect(await services().rollBackInterrupted()).toBe(0);
      return proxyOf(proxied.app, tenant.id);
    });
    expect(during.configuration).toContain(`127.0.0.1:${ports.backend_port};`);

    await proxied.restart();
    expect((await proxyOf(proxied.app, tenant.id)).configuration).toContain(`127.0.0.1:${tenant.backend_port};`);
    expect((await secure(`api.${tenant.slug}.example.org`, '/api/health')).status).toBe(200);
    expect(await restart(tenant.id)).toBe(200);
    expect((await secure(`api.${tenant.slug}.example.org`, '/api/health')).status).toBe(200);
    expect((await proxyOf(proxied.app, tenant.id)).configuration).toContain(`127.0.0.1:${ports.backend_port};`);
  });

  test('deletion removes it from nginx, with its certificates', async () => {
    const { app, nginx } = proxied;
    const tenant = await deployed();
    const gone = await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    expect(gone.body).toMatchObject({ removed: { proxy: true, services: true } });
    expect((await plain(`${tenant.slug}.example.org`)).status).toBe(404);
    expect(await configsOf(app, `tenant_id=${tenant.id}`)).toEqual([]);
    for (const path of [
      join(nginx.sites, `${tenant.slug}.conf`),
      join(nginx.directory, 'tenantry', 'certificates', tenant.slug),
    ])
      await expect(access(path)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
