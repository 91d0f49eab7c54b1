import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithNginx } from '../harness/nginx.ts';
import { type ProxiedApp, startProxiedApp } from '../harness/proxied-app.ts';
import { deploy, makeTenant } from '../harness/tenants.ts';
import { visit } from '../harness/visitor.ts';

describeWithNginx('Tenants behind nginx', () => {
  let proxied: ProxiedApp;

  beforeAll(async () => {
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' });
  }, 60_000);
  afterAll(() => proxied.destroy(), 60_000);

  test('a deployed tenant is reached by both host names, over TLS too', async () => {
    const { app, nginx, repository } = proxied;
    const tenant = await makeTenant(app, repository.path);
    const deployment = await deploy(app, tenant.id);
    expect(deployment).toMatchObject({ status: 'success', error: null });
    const frontend = await visit(nginx.httpsPort, `${tenant.slug}.example.org`, { tls: {} });
    expect(frontend).toMatchObject({ status: 200 });
    const api = await visit(nginx.httpsPort, `api.${tenant.slug}.example.org`, { path: '/api/health', tls: {} });
    expect(JSON.parse(api.text)).toEqual({ status: 'healthy' });
    const gone = await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    expect(gone.body).toMatchObject({ removed: { proxy: true } });
  }, 60_000);
});
