import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { deploy, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { keepVisiting, visit } from '../../harness/proxy/visitor.ts';
import { freePort } from '../../harness/servers/ports.ts';
import { overHttp, overTls, renew, servedWith, setupSsl, siteOf, tenantAt, warningsOf } from './certificates-world.ts';

describeWithNginx('Another source of certificates at the next start', () => {
  let proxied: ProxiedApp;
  let noAuthority: string;
  let tenant: TenantAnswer;
  const [domain, api] = ['switched.example.org', 'api.switched.example.org'];

  beforeAll(async () => {
    // An address without an authority, which is safe to request.
    noAuthority = `http://127.0.0.1:${await freePort()}/directory`;
    proxied = await startProxiedApp({ CERTIFICATES: 'none' });
  });
  afterAll(() => proxied.destroy(), 60_000);

  const idle = (): Promise<unknown> =>
    until(
      async () => proxied.app.manager.app.engine.isBusy(tenant.id),
      (busy) => !busy,
    );
  /** Nothing may block an operator who looks. */
  const expectSound = async (): Promise<void> => {
    const { app } = proxied;
    const configs = await app.call<{ configs: { state: string }[] }>('GET', '/api/proxy/configs');
    expect([configs.status, configs.body.configs.length]).toEqual([200, 4]);
    expect((await app.call('POST', '/api/proxy/test')).body).toMatchObject({ valid: true });
    await proxied.app.manager.app.sites.checkDrift();
    await idle();
  };

  test('none: HTTP only, and the step reports it', async () => {
    tenant = await tenantAt(proxied, domain, api);
    const deployment = await deploy(proxied.app, tenant.id);
    const reason = 'no certificates are obtained (CERTIFICATES=none)';
    expect(setupSsl(deployment)).toEqual({ status: 'skipped', reason });
    expect(await overHttp(proxied, domain)).toMatchObject({ status: 200 });
    await expect(overTls(proxied, domain)).rejects.toThrow();
    expect(await renew(proxied)).toBe(0);
    // One whose deployment requested no certificate gets none later either.
    const without = await tenantAt(proxied, 'without.example.org');
    expect((await deploy(proxied.app, without.id, { skip_ssl: true })).status).toBe('success');
    await expectSound();
  });

  test('then self-signed: active sites get their certificates without a deployment', async () => {
    await proxied.restart({ CERTIFICATES: 'self-signed' });
    expect(await renew(proxied)).toBe(1);
    expect(await overTls(proxied, domain)).toMatchObject({ status: 200 });
    expect(await overHttp(proxied, domain)).toMatchObject({ status: 308 });
    expect(await overHttp(proxied, 'without.example.org')).toMatchObject({ status: 200 });
    expect(await renew(proxied)).toBe(0);
    await expectSound();
  });

  test('a front proxy that is named, and no longer: redirects to HTTPS follow its word, without a deployment', async () => {
    const { httpPort } = proxied.nginx;
    const encrypted = { from: '127.0.0.9', headers: { 'x-forwarded-proto': 'https' } };
    expect((await visit(httpPort, domain, encrypted)).status).toBe(308);
    await proxied.restart({ CERTIFICATES: 'self-signed', FRONT_PROXIES: '127.0.0.9,192.0.2.0/24' });
    await expectSound();
    expect((await visit(httpPort, domain, encrypted)).status).toBe(200);
    expect((await overHttp(proxied, domain)).status).toBe(308);
    expect(await siteOf(proxied.app, tenant.id)).toMatchObject({ state: 'in_sync' });
    await proxied.restart({ CERTIFICATES: 'self-signed' });
    await expectSound();
    expect((await visit(httpPort, domain, encrypted)).status).toBe(308);
  });

  test('then acme, whose authority is unavailable: keeps serving, and logs it in the audit log', async () => {
    const before = await servedWith(proxied, domain);
    const visitor = keepVisiting(proxied.nginx.httpsPort, domain, { tls: {} });
    await proxied.restart({ CERTIFICATES: 'acme', ACME_DIRECTORY_URL: noAuthority });
    expect(await renew(proxied)).toBe(0);
    expect(await servedWith(proxied, domain)).toBe(before);
    expect((await visitor.stop()).failures).toEqual([]);
    const [warning] = await warningsOf(proxied.app, tenant.id);
    expect(warning).toMatch(/Certificate authority 127\.0\.0\.1:\d+: .*; the site keeps the certificate it has/);
    // Not immediately again.
    expect(await renew(proxied)).toBe(0);
    expect(await warningsOf(proxied.app, tenant.id)).toHaveLength(1);
    // A deployment tries, and keeps the existing one.
    const deployment = await deploy(proxied.app, tenant.id);
    expect(deployment.status).toBe('success');
    expect(setupSsl(deployment).reason).toContain('the site keeps the certificate it has');
    expect(await servedWith(proxied, domain)).toBe(before);
    await expectSound();
  });

  test('then another authority: failures of the previous one do not count', async () => {
    await proxied.restart({ CERTIFICATES: 'self-signed' });
    const before = await servedWith(proxied, domain);
    // The stored one is from this authority, and valid.
    await renew(proxied);
    expect(await servedWith(proxied, domain)).toBe(before);
    expect(await siteOf(proxied.app, tenant.id)).toMatchObject({ certificate_error: null });
    await expectSound();
  });

  test('then none: a check returns the sites to HTTP, and deployments continue', async () => {
    await proxied.restart({ CERTIFICATES: 'none' });
    await expectSound();
    expect(await overHttp(proxied, domain)).toMatchObject({ status: 200 });
    expect(await overHttp(proxied, api, '/api/health')).toMatchObject({ status: 200 });
    expect(await deploy(proxied.app, tenant.id)).toMatchObject({ status: 'success', error: null });
    expect(await siteOf(proxied.app, tenant.id)).toMatchObject({ state: 'in_sync', next_attempt_at: null });
    await expect(overTls(proxied, domain)).rejects.toThrow();
  });

  test('a deployment after such a start succeeds, and so does a deletion', async () => {
    await proxied.restart({ CERTIFICATES: 'self-signed' });
    expect(setupSsl(await deploy(proxied.app, tenant.id)).status).toBe('success');
    expect(await overTls(proxied, domain)).toMatchObject({ status: 200 });
    await proxied.restart({ CERTIFICATES: 'none' });
    // The start checks the sites automatically.
    await until(
      () => siteOf(proxied.app, tenant.id),
      ({ configuration }) => configuration?.includes('ssl_certificate') === false,
    );
    await idle();
    expect(await deploy(proxied.app, tenant.id)).toMatchObject({ status: 'success', error: null });
    expect(await overHttp(proxied, domain)).toMatchObject({ status: 200 });
    const gone = await proxied.app.call('DELETE', `/api/tenants/${tenant.id}`);
    expect(gone.body).toMatchObject({ removed: { proxy: true } });
  });
});
