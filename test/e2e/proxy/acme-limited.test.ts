import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { deploy, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import {
  inStore,
  makeDue,
  overTls,
  renew,
  servedWith,
  setupSsl,
  siteOf,
  stored,
  tenantAt,
} from './certificates-world.ts';

const pauseSeconds = 48 * 3_600;

describeWithNginx('An authority with a rate limit', () => {
  let proxied: ProxiedApp;
  let limited: Server;
  let asked = 0;
  let tenant: TenantAnswer;
  const [domain, api] = ['limited.example.org', 'api.limited.example.org'];

  beforeAll(async () => {
    limited = createServer((_, response) => {
      asked += 1;
      response.writeHead(429, { 'retry-after': String(pauseSeconds), 'content-type': 'application/problem+json' }).end(
        JSON.stringify({
          type: 'urn:ietf:params:acme:error:rateLimited',
          detail: 'too many certificates already issued for example.org',
        }),
      );
    });
    await new Promise<void>((resolve) => limited.listen(0, '127.0.0.1', resolve));
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' });
    tenant = await tenantAt(proxied, domain, api);
    expect((await deploy(proxied.app, tenant.id)).status).toBe('success');
    await restart();
  });
  afterAll(async () => {
    await proxied.destroy();
    await new Promise((resolve) => limited.close(resolve));
  });

  const restart = (): Promise<void> => {
    const { port } = limited.address() as AddressInfo;
    return proxied.restart({ CERTIFICATES: 'acme', ACME_DIRECTORY_URL: `http://127.0.0.1:${port}/directory` });
  };

  test('is not requested again before its time, neither by the schedule nor by a deployment', async () => {
    const before = await servedWith(proxied, domain);
    expect(await renew(proxied)).toBe(0);
    expect(asked).toBeGreaterThan(0);
    const once = asked;
    const { certificate_error, next_attempt_at } = await siteOf(proxied.app, tenant.id);
    expect(certificate_error).toContain('too many certificates already issued for example.org');
    expect(Date.parse(next_attempt_at ?? '')).toBeGreaterThan(Date.now() + (pauseSeconds - 60) * 1_000);

    for (const start of [undefined, restart]) {
      await start?.();
      makeDue(proxied.app, tenant.id);
      expect(await renew(proxied)).toBe(0);
      const deployment = await deploy(proxied.app, tenant.id);
      expect(deployment.status).toBe('success');
      const { status, reason } = setupSsl(deployment);
      expect(status).toBe('skipped');
      expect(reason).toContain('the certificate authority asked not to be asked before ');
      expect(reason).toContain('too many certificates already issued for example.org');
      expect(reason).toContain('the site keeps the certificate it has');
      expect(asked).toBe(once);
      expect(await servedWith(proxied, domain)).toBe(before);
    }
    // The reported time of the next attempt is correct.
    expect(Date.parse((await siteOf(proxied.app, tenant.id)).next_attempt_at ?? '')).toBeGreaterThan(Date.now());
  });

  test('a certificate that expires in that time is reported, and served until there is another', async () => {
    const over = stored(new Date(Date.now() - 1_000));
    inStore(proxied.app, 'UPDATE certificates SET not_after = @over WHERE tenant_id = @id', { over, id: tenant.id });
    await restart();
    const { reason } = setupSsl(await deploy(proxied.app, tenant.id));
    expect(reason).toContain('the site keeps the certificate it has, which expired at ');
    expect((await overTls(proxied, domain)).status).toBe(200);
  });

  test('requests certificates for other host names', async () => {
    const before = asked;
    await proxied.app.call('PUT', `/api/tenants/${tenant.id}`, { body: { api_domain: 'api.unlimited.example.org' } });
    await until(
      async () => asked,
      (now) => now > before,
    );
  });
});
