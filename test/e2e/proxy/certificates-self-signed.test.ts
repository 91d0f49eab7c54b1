import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { deploy, endOf, getDeployment, setEnvironment, until } from '../../harness/data/tenants.ts';
import { timelineOfFleet } from '../../harness/data/timeline.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { keepVisiting } from '../../harness/proxy/visitor.ts';
import {
  deployed,
  inStore,
  makeDue,
  overHttp,
  overTls,
  renew,
  servedWith,
  setupSsl,
  siteOf,
  stored,
  tenantAt,
} from './certificates-world.ts';

describeWithNginx('Self-signed certificates', () => {
  let proxied: ProxiedApp;
  const certificates = (slug: string): string => join(proxied.nginx.directory, 'tenantry', 'certificates', slug);

  beforeAll(async () => {
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { healthTimeoutMs: 4_000 });
  });
  afterAll(() => proxied.destroy(), 60_000);

  test('HTTP redirects to HTTPS with method and path; the step names source, issuer and expiry', async () => {
    const tenant = await tenantAt(proxied, 'first.example.org');
    const deployment = await deploy(proxied.app, tenant.id);
    expect(setupSsl(deployment)).toEqual({ status: 'success', reason: null });
    const [certificate] = (await siteOf(proxied.app, tenant.id)).certificates;
    expect(certificate).toMatchObject({ source: 'self-signed', names: ['first.example.org', 'api.first.example.org'] });
    expect(deployment.logs).toContain(
      `Certificate for first.example.org, api.first.example.org: self-signed, by Tenantry self-signed, until ${certificate?.not_after}`,
    );
    expect(deployment.logs).not.toMatch(/PRIVATE KEY|BEGIN CERTIFICATE/);
    for (const name of ['first.example.org', 'api.first.example.org']) {
      const led = await overHttp(proxied, name, '/some/page?q=1');
      const { httpsPort } = proxied.nginx;
      expect([led.status, led.headers.location]).toEqual([308, `https://${name}:${httpsPort}/some/page?q=1`]);
      expect(await servedWith(proxied, name)).toBe(certificate?.fingerprint);
    }
  });

  test('keys are readable for their owner only; deleting the tenant removes them', async () => {
    const tenant = await tenantAt(proxied, 'keys.example.org');
    await deployed(proxied, tenant.id);
    const directory = certificates(tenant.slug);
    expect(await proxied.nginx.modeOf(directory)).toBe('700');
    const files = await readdir(directory);
    expect(files.map((file) => file.slice(-4)).sort()).toEqual(['.crt', '.key']);
    for (const file of files) expect(await proxied.nginx.modeOf(join(directory, file))).toBe('600');
    expect((await proxied.app.call('DELETE', `/api/tenants/${tenant.id}`)).status).toBe(200);
    await expect(readdir(directory)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('Strict-Transport-Security follows the setting, from the next deployment', async () => {
    const tenant = await tenantAt(proxied, 'strict.example.org');
    await deployed(proxied, tenant.id);
    const header = async (): Promise<unknown> =>
      (await overTls(proxied, 'strict.example.org')).headers['strict-transport-security'];
    expect(await header()).toBeUndefined();
    const set = (value: number) => proxied.app.call('PUT', '/api/settings/hsts_max_age_days', { body: { value } });
    expect((await set(30)).status).toBe(200);
    try {
      await deployed(proxied, tenant.id);
      expect(await header()).toBe('max-age=2592000');
      // Over HTTP it would have no effect (RFC 6797, 7.2).
      expect((await overHttp(proxied, 'strict.example.org')).headers['strict-transport-security']).toBeUndefined();
    } finally {
      await set(0);
    }
  });

  test('another deployment reuses the certificate; a due one is replaced without a failed visit', async () => {
    const tenant = await tenantAt(proxied, 'renewed.example.org');
    await deployed(proxied, tenant.id);
    const first = await servedWith(proxied, 'renewed.example.org');
    await deployed(proxied, tenant.id);
    expect(await servedWith(proxied, 'renewed.example.org')).toBe(first);
    expect(await renew(proxied)).toBe(0);

    makeDue(proxied.app, tenant.id);
    const visitor = keepVisiting(proxied.nginx.httpsPort, 'renewed.example.org', { tls: {} });
    expect(await renew(proxied)).toBe(1);
    const { visits, failures } = await visitor.stop();
    expect([visits > 0, failures]).toEqual([true, []]);
    const second = await servedWith(proxied, 'renewed.example.org');
    expect(second).not.toBe(first);
    const { body } = await proxied.app.call<{ logs: { message: string }[] }>('GET', `/api/logs?tenant_id=${tenant.id}`);
    expect(body.logs[0]?.message).toBe(`The certificate of ${tenant.slug} was renewed`);
    expect((await timelineOfFleet(proxied.app, 'certificate'))[0]).toMatchObject({
      title: `The certificate of ${tenant.slug} was renewed`,
      tenant: { id: tenant.id },
    });
    expect((await readdir(certificates(tenant.slug))).sort()).toEqual([`${second}.crt`, `${second}.key`]);
    const { certificates: kept, next_attempt_at } = await siteOf(proxied.app, tenant.id);
    expect(kept.map(({ fingerprint }) => fingerprint)).toEqual([second]);
    expect(Date.parse(next_attempt_at ?? '')).toBeGreaterThan(Date.now() + 50 * 86_400_000);
    expect(await renew(proxied)).toBe(0);
  });

  test('a deployment that fails after a new certificate was issued rolls back to the previous one', async () => {
    const tenant = await tenantAt(proxied, 'back.example.org');
    await deployed(proxied, tenant.id);
    const first = await servedWith(proxied, 'back.example.org');
    // Past two thirds of its life: the next deployment obtains another one.
    const started = stored(new Date(Date.now() - 365 * 86_400_000));
    inStore(proxied.app, 'UPDATE certificates SET not_before = @started WHERE tenant_id = @id', {
      started,
      id: tenant.id,
    });
    await proxied.restart();
    await setEnvironment(proxied.app, tenant.id, { MODE: 'unhealthy' });
    const failed = await deploy(proxied.app, tenant.id);
    expect(failed).toMatchObject({ status: 'failed', error: { step: 'Health check' } });
    expect(failed.logs).not.toContain('is not in the store');
    expect(setupSsl(failed).status).toBe('success');
    expect(await servedWith(proxied, 'back.example.org')).toBe(first);
    expect(await overTls(proxied, 'back.example.org')).toMatchObject({ status: 200 });
    expect((await siteOf(proxied.app, tenant.id)).state).toBe('in_sync');
    const obtained = (await siteOf(proxied.app, tenant.id)).certificates.map(({ fingerprint }) => fingerprint);
    expect(obtained).toHaveLength(2);
    // The new one is not lost: it is used soon, instead of obtaining a third.
    expect(await renew(proxied)).toBe(1);
    await renew(proxied);
    const { certificates: kept } = await siteOf(proxied.app, tenant.id);
    expect(kept.map(({ fingerprint }) => fingerprint)).toEqual([await servedWith(proxied, 'back.example.org')]);
    expect(kept[0]?.fingerprint).not.toBe(first);
    expect(obtained).toContain(kept[0]?.fingerprint);
  });

  test('other host names get their own certificate, the old ones are no longer served', async () => {
    const tenant = await tenantAt(proxied, 'before.example.org');
    await deployed(proxied, tenant.id);
    const first = await servedWith(proxied, 'before.example.org');
    await proxied.app.call('PUT', `/api/tenants/${tenant.id}`, {
      body: { domain: 'after.example.org', api_domain: 'api.after.example.org' },
    });
    await until(
      () => overTls(proxied, 'api.after.example.org', '/api/health').catch(() => undefined),
      (answer) => answer?.status === 200,
    );
    await idle(tenant.id);
    const second = await servedWith(proxied, 'after.example.org');
    expect(second).not.toBe(first);
    await expect(overTls(proxied, 'before.example.org')).rejects.toThrow();
    await renew(proxied);
    const { certificates: kept } = await siteOf(proxied.app, tenant.id);
    expect(kept.map(({ names }) => names)).toEqual([['after.example.org', 'api.after.example.org']]);
    expect(await readdir(certificates(tenant.slug))).toHaveLength(2);
  });

  test('keeps serving an expired certificate: a site never falls back from TLS to HTTP', async () => {
    const tenant = await tenantAt(proxied, 'expired.example.org');
    await deployed(proxied, tenant.id);
    const first = await servedWith(proxied, 'expired.example.org');
    const over = stored(new Date(Date.now() - 1_000));
    inStore(proxied.app, 'UPDATE certificates SET not_after = @over WHERE tenant_id = @id', { over, id: tenant.id });
    await proxied.restart();
    // Any site change without a request for a certificate leaves it unchanged.
    const deployment = await deploy(proxied.app, tenant.id, { skip_ssl: true });
    expect(deployment.status).toBe('success');
    expect(await servedWith(proxied, 'expired.example.org')).toBe(first);
    makeDue(proxied.app, tenant.id);
    expect(await renew(proxied)).toBe(1);
    expect(await servedWith(proxied, 'expired.example.org')).not.toBe(first);
  });

  test('a deployment while one is due: each waits for the other, and the site has one certificate at the end', async () => {
    const tenant = await tenantAt(proxied, 'together.example.org');
    await deployed(proxied, tenant.id);
    makeDue(proxied.app, tenant.id);
    const started = await proxied.app.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`, {
      body: {},
    });
    expect(started.status).toBe(202);
    expect((await getDeployment(proxied.app, started.body.deployment_id)).status).toMatch(/queued|running/);
    expect(await renew(proxied)).toBe(0);
    expect((await endOf(proxied.app, started.body.deployment_id)).status).toBe('success');
    await renew(proxied);
    const { certificates: kept } = await siteOf(proxied.app, tenant.id);
    expect(kept.map(({ fingerprint }) => fingerprint)).toEqual([await servedWith(proxied, 'together.example.org')]);
  });

  test('nginx is unavailable when a certificate is due: the new one is used later, no other is obtained', async () => {
    const tenant = await tenantAt(proxied, 'away.example.org');
    await deployed(proxied, tenant.id);
    const first = await servedWith(proxied, 'away.example.org');
    makeDue(proxied.app, tenant.id);
    await proxied.nginx.stop();
    try {
      for (let tries = 0; tries < 3; tries += 1) expect(await renew(proxied)).toBe(0);
      const kept = (await siteOf(proxied.app, tenant.id)).certificates;
      expect(kept).toHaveLength(2);
      await proxied.nginx.start();
      makeDue(proxied.app, tenant.id);
      expect(await renew(proxied)).toBe(1);
      const served = await servedWith(proxied, 'away.example.org');
      expect(served).not.toBe(first);
      expect(kept.map(({ fingerprint }) => fingerprint)).toContain(served);
    } finally {
      if (!(await proxied.nginx.answers())) await proxied.nginx.start();
    }
  });

  /** Waits until the tenant has no running operation. */
  const idle = (id: string): Promise<unknown> =>
    until(
      async () => proxied.app.manager.app.engine.isBusy(id),
      (busy) => !busy,
    );
});
