import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { noteApplication } from '../../harness/data/note-application.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer } from '../../harness/data/tenants.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';

interface ChecksAnswer {
  last_run: { status: string; results: { route: string; status: string }[] } | null;
}

describeWithNginx('checks with a user’s steps behind nginx', () => {
  let proxied: ProxiedApp;
  let tenant: TenantAnswer;
  beforeAll(async () => {
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { healthTimeoutMs: 60_000 });
    const { repository, app } = proxied;
    await repository.release('v2.0.0', noteApplication(repository));
    await repository.release('v2.1.0', noteApplication(repository, { broken: 'proxied' }));
    tenant = await makeTenant(app, repository.path);
    await setEnvironment(app, tenant.id, { CHECK_PASSWORD: 'tulip-marmalade-77' });
  });
  afterAll(() => proxied.destroy());

  test('reach the units directly, and over TLS by their host names', async () => {
    expect(await deploy(proxied.app, tenant.id, { target_version: 'v2.0.0' })).toMatchObject({ status: 'success' });
    const { body } = await proxied.app.call<ChecksAnswer>('GET', `/api/tenants/${tenant.id}/synthetic-checks`);
    expect(body.last_run?.results).toMatchObject([
      { route: 'units', status: 'passed' },
      { route: 'proxy', status: 'passed' },
    ]);
  });

  test('fail a deployment whose steps fail only through the proxy', async () => {
    const { status, error } = await deploy(proxied.app, tenant.id, { target_version: 'v2.1.0' });
    expect([status, error?.message]).toEqual([
      'failed',
      'Check “Find a person”, step “Search” through the proxy: answered 500 instead of 2xx: no such table: people ••••',
    ]);
  });
});
