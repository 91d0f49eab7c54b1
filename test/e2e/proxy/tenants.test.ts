import { Readable } from 'node:stream';
import type { ConnectionOptions } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import {
  deploy,
  endOf,
  getTenant,
  makeTenant,
  setEnvironment,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { keepVisiting, type Visit, visit } from '../../harness/proxy/visitor.ts';
import { tenantWeb } from '../../harness/servers/tenant-web.ts';

describeWithNginx('tenants behind nginx, with certificates', () => {
  let proxied: ProxiedApp;
  let neighbour: TenantAnswer;
  const domainOf = (tenant: TenantAnswer): string => String(tenant.domain);
  const apiDomainOf = (tenant: TenantAnswer): string => String(tenant.api_domain);

  beforeAll(async () => {
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { healthTimeoutMs: 20_000 });
    await proxied.repository.release('v2.0.0', tenantWeb);
    neighbour = await deployed();
  });
  afterAll(() => proxied.destroy());

  async function deployed(fields: Record<string, unknown> = {}): Promise<TenantAnswer> {
    const { app, repository } = proxied;
    const made = await makeTenant(app, repository.path, fields);
    expect(await deploy(app, made.id, { target_version: 'v2.0.0' })).toMatchObject({ status: 'success', error: null });
    return getTenant(app, made.id);
  }

  const over = (domain: string, path = '/'): Promise<Visit> =>
    visit(proxied.nginx.httpsPort, domain, { path, tls: {} }).catch((error) => {
      throw new Error(`${domain}: ${error}`);
    });
  const unitOf = async (domain: string): Promise<Record<string, unknown>> => JSON.parse((await over(domain)).text);
  /** Over HTTP, where every site responds, at least with a redirect to HTTPS. */
  const served = async (domain: string): Promise<boolean> => {
    const { status, headers } = await visit(proxied.nginx.httpPort, domain);
    return status === 301 || status === 308 || headers.location !== undefined;
  };

  test('serves each by both host names, by SNI over TLS, and redirects HTTP; the step names the certificate', async () => {
    const { app, nginx, repository } = proxied;
    const tenant = await getTenant(app, (await makeTenant(app, repository.path)).id);
    const end = await deploy(app, tenant.id, { target_version: 'v2.0.0' });
    expect(end.steps.filter(({ name }) => /proxy|SSL/.test(name)).map(({ status }) => status)).toEqual([
      'success',
      'success',
    ]);
    expect(end.logs).toMatch(/self-signed, by Tenantry self-signed, until 20\d\d-/);
    expect(end.logs).toContain('Both host names answer through the proxy');
    expect(await unitOf(domainOf(tenant))).toMatchObject({ slug: tenant.slug, role: 'frontend', version: 'v2.0.0' });
    expect(await unitOf(apiDomainOf(tenant))).toMatchObject({ slug: tenant.slug, role: 'api' });
    const own = (await over(domainOf(tenant))).tls?.fingerprint;
    expect(own).not.toBe((await over(domainOf(neighbour))).tls?.fingerprint);
    const plain = await visit(nginx.httpPort, domainOf(tenant), { path: '/some/page?a=b' });
    expect(plain.headers.location).toBe(`https://${domainOf(tenant)}:${nginx.httpsPort}/some/page?a=b`);

    const shown = await app.call<{ state: string; configuration: string; certificates: { fingerprint: string }[] }>(
      'GET',
      `/api/tenants/${tenant.id}/proxy`,
    );
    expect(shown.body).toMatchObject({ kind: 'nginx', state: 'in_sync', certificate_error: null });
    expect(shown.body.certificates.map(({ fingerprint }) => fingerprint)).toEqual([own]);
    expect(JSON.stringify(shown.body)).not.toContain('PRIVATE KEY');
    const health = await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
    expect(health.body).toMatchObject({
      overall_status: 'healthy',
      checks: { proxy: { status: 'up', status_code: 200 } },
      certificate: { days_left: 89, issuer: 'Tenantry self-signed' },
    });
    const metrics = await app.call('GET', '/metrics');
    expect(String(metrics.body.text)).toContain(`tenantry_certificate_not_after_seconds{tenant="${tenant.slug}"}`);
  });

  test('proxies a WebSocket and an upload of 100 MB', async () => {
    const { nginx } = proxied;
    const tls: ConnectionOptions = { servername: apiDomainOf(neighbour), rejectUnauthorized: false };
    const headers = { host: apiDomainOf(neighbour) };
    const socket = new WebSocket(`wss://127.0.0.1:${nginx.httpsPort}/live`, { headers, ...tls });
    const greeting = await new Promise<string>((resolve, reject) => {
      socket.once('message', (data) => resolve(String(data))).once('error', reject);
    });
    socket.terminate();
    expect(greeting).toBe(`hello from ${neighbour.slug}`);

    const part = Buffer.alloc(1024 * 1024, 'x');
    const upload = await visit(nginx.httpsPort, apiDomainOf(neighbour), {
      path: '/upload',
      method: 'POST',
      body: Readable.from(
        (function* () {
          for (let megabyte = 0; megabyte < 100; megabyte += 1) yield part;
        })(),
      ),
      tls: {},
    });
    expect(JSON.parse(upload.text)).toEqual({ bytes: 100 * 1024 * 1024 });
  });

  test('changes of one tenant fail no request to another', async () => {
    const { app, nginx } = proxied;
    const clients = [
      keepVisiting(nginx.httpsPort, domainOf(neighbour), { tls: {} }),
      keepVisiting(nginx.httpsPort, apiDomainOf(neighbour), { path: '/api/health', tls: {} }),
    ];
    const tenant = await deployed();
    const call = (action: string) => app.call('POST', `/api/tenants/${tenant.id}/${action}`);

    expect((await call('stop')).status).toBe(200);
    const stopped = await over(domainOf(tenant));
    expect([stopped.status, stopped.headers['content-type']]).toEqual([502, expect.stringContaining('text/html')]);
    expect((await call('start')).status).toBe(200);
    expect(await unitOf(domainOf(tenant))).toMatchObject({ slug: tenant.slug });
    await setEnvironment(app, tenant.id, { CHANGED: 'yes' });
    expect((await call('restart')).status).toBe(200);
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
    expect(await unitOf(domainOf(tenant))).toMatchObject({ slug: tenant.slug });

    // Other host names: applied in the background, by a separate operation.
    const domain = `new-${domainOf(tenant)}`;
    const changed = await app.call('PUT', `/api/tenants/${tenant.id}`, { body: { domain } });
    expect(changed.status).toBe(200);
    const operation = await until(
      async () =>
        (
          await app.call<{ deployments: { id: string; kind: string }[] }>(
            'GET',
            `/api/tenants/${tenant.id}/deployments`,
          )
        ).body.deployments.find(({ kind }) => kind === 'proxy'),
      (found) => found !== undefined,
    );
    expect(await endOf(app, operation?.id ?? '')).toMatchObject({ status: 'success', error: null });
    expect(await unitOf(domain)).toMatchObject({ slug: tenant.slug, role: 'frontend' });
    expect(await unitOf(apiDomainOf(tenant))).toMatchObject({ slug: tenant.slug, role: 'api' });
    expect(await served(domainOf(tenant))).toBe(false);

    expect((await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`)).body).toMatchObject({
      removed: { proxy: true, services: true },
    });
    expect(await served(domain)).toBe(false);
    for (const client of clients) {
      const { visits, failures } = await client.stop();
      expect(failures).toEqual([]);
      expect(visits).toBeGreaterThan(100);
    }
  });

  test('other ports apply at the next restart and deployment, and never before the units listen on them', async () => {
    const { app } = proxied;
    const tenant = await deployed();
    const next = async (): Promise<Record<string, unknown>> => {
      const { body } = await app.call('GET', '/api/ports/next-available');
      const ports = { frontend_port: body.frontend_port, backend_port: body.backend_port };
      expect((await app.call('PUT', `/api/tenants/${tenant.id}`, { body: ports })).status).toBe(200);
      return ports;
    };
    await next();
    expect(await unitOf(domainOf(tenant))).toMatchObject({ slug: tenant.slug });
    expect((await app.call('POST', `/api/tenants/${tenant.id}/restart`)).status).toBe(200);
    expect(await unitOf(domainOf(tenant))).toMatchObject({ slug: tenant.slug });

    const ports = await next();
    const end = await deploy(app, tenant.id);
    expect(end.status).toBe('success');
    // The site changes after the units listen on the new ports, not before.
    const lines = end.logs.split('\n');
    const changes = lines.flatMap((line, at) => (line.includes('nginx serves the site as configured') ? [at] : []));
    const started = lines.findIndex((line) => line.startsWith('Start services'));
    expect(changes.map((at) => at > started)).toEqual([true]);
    expect(await unitOf(apiDomainOf(tenant))).toMatchObject({ slug: tenant.slug });
    const { body } = await app.call('GET', `/api/tenants/${tenant.id}/proxy`);
    expect(String(body.configuration)).toContain(`127.0.0.1:${ports.backend_port}`);
  });

  test('a failed deployment restores the previous site, or none', async () => {
    const { app, repository } = proxied;
    await repository.release('v2.1.0', { 'server.js': 'process.exit(3);\n' });
    const tenant = await deployed();
    const before = await app.call('GET', `/api/tenants/${tenant.id}/proxy`);
    const version = { target_version: 'v2.1.0' };
    expect(await deploy(app, tenant.id, version)).toMatchObject({ status: 'failed', error: { step: 'Health check' } });
    // Just restarted.
    await until(
      () => over(domainOf(tenant)),
      ({ status }) => status === 200,
    );
    expect(await unitOf(domainOf(tenant))).toMatchObject({ slug: tenant.slug, version: 'v2.0.0' });
    const after = await app.call('GET', `/api/tenants/${tenant.id}/proxy`);
    expect(after.body.configuration).toBe(before.body.configuration);

    const first = await makeTenant(app, repository.path);
    expect(await deploy(app, first.id, version)).toMatchObject({ status: 'failed', error: { step: 'Health check' } });
    expect(await served(domainOf(first))).toBe(false);
    const configs = await app.call<{ total: number }>('GET', `/api/proxy/configs?tenant_id=${first.id}`);
    expect(configs.body.total).toBe(0);
  });

  test('skip_proxy leaves a site unchanged; skip_ssl leaves a new one without a certificate', async () => {
    const { app, nginx, repository } = proxied;
    const tenant = await makeTenant(app, repository.path);
    const plain = await deploy(app, tenant.id, { target_version: 'v2.0.0', skip_ssl: true });
    expect(plain.steps.find(({ name }) => name === 'Setup SSL')).toMatchObject({
      status: 'skipped',
      reason: 'skip_ssl is set',
    });
    const page = await visit(nginx.httpPort, domainOf(tenant));
    expect([page.status, JSON.parse(page.text).slug]).toEqual([200, tenant.slug]);
    expect(await deploy(app, tenant.id, { skip_proxy: true })).toMatchObject({ status: 'success', error: null });
    expect((await visit(nginx.httpPort, domainOf(tenant))).status).toBe(200);
    expect((await app.call('GET', `/api/tenants/${tenant.id}/health`)).body.certificate).toBeNull();
  });
});
