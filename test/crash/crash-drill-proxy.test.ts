import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { type ManagerProcess, makeManagerProcess } from '../harness/app/manager-process.ts';
import { type FixtureRepository, makeFixtureRepository } from '../harness/data/fixture-repository.ts';
import { type TenantAnswer, until } from '../harness/data/tenants.ts';
import { sampled } from '../harness/exhaustive.ts';
import { describeWithNginx, TestNginx } from '../harness/proxy/nginx.ts';
import { keepVisiting, visit } from '../harness/proxy/visitor.ts';
import { tenantWeb } from '../harness/servers/tenant-web.ts';
import { deployAndKill, endOfDeployment } from './drills/kill-in-step.ts';

/**
 * When the manager is killed, after the start of a step: before, during and after nginx's test, reload and
 * verification.
 */
const delaysMs = [0, 60, 160];
const momentsOf = (drill: string, steps: readonly string[]) =>
  sampled(
    drill,
    2,
    steps.flatMap((step) => delaysMs.map((delayMs) => [step, delayMs] as const)),
  );

describeWithNginx('kill -9 of the manager while it changes nginx', () => {
  let directory: string;
  let nginx: TestNginx;
  let repository: FixtureRepository;
  let manager: ManagerProcess;
  let neighbour: TenantAnswer;
  let visiting: ReturnType<typeof keepVisiting>;
  let made = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-drill-proxy-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    for (const version of ['v2.0.0', 'v2.1.0']) await repository.release(version, { ...tenantWeb, NEWS: version });
    nginx = await TestNginx.create();
    manager = await makeManagerProcess({
      RUNTIME: 'process',
      PROXY: 'nginx',
      CERTIFICATES: 'self-signed',
      PROXY_DIRECTORY: join(nginx.directory, 'tenantry'),
      PROXY_HTTP_PORT: String(nginx.httpPort),
      PROXY_HTTPS_PORT: String(nginx.httpsPort),
      NGINX_CONFIG: nginx.mainConfig,
    });
    await manager.start();
    // The manager has written its main configuration.
    await nginx.start();
    neighbour = await makeTenant();
    await deployed(neighbour);
  });
  afterAll(async () => {
    const { body } = await manager.call<{ tenants: TenantAnswer[] }>('GET', '/api/tenants?limit=500');
    for (const { id } of body.tenants) await manager.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    const left = (await readdir(nginx.sites)).filter((name) => name.includes('drill-'));
    const exit = await manager.stop();
    await manager.remove();
    await nginx.destroy();
    await rm(directory, { recursive: true, force: true });
    expect([left, exit]).toEqual([[], 0]);
  });
  beforeEach(() => {
    visiting = keepVisiting(nginx.httpsPort, `${neighbour.slug}.example.org`, { tls: {} });
  });
  afterEach(async () => {
    expect((await visiting.stop()).failures).toEqual([]);
  });

  async function makeTenant(): Promise<TenantAnswer> {
    made += 1;
    const slug = `drill-${Date.now().toString(36)}-${made}`;
    const names = { name: slug, slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org` };
    const { body } = await manager.call<TenantAnswer>('POST', '/api/tenants', {
      body: { ...names, git_repo: repository.path },
    });
    return body;
  }

  async function deployed(tenant: TenantAnswer): Promise<void> {
    const { body } = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`, {
      body: { target_version: 'v2.0.0' },
    });
    expect(await endOfDeployment(manager, body.deployment_id)).toMatchObject({ status: 'success', error: null });
  }

  /** What answers at a name over TLS: the tenant's version, or undefined if the name is not served. */
  async function versionAt(domain: string): Promise<string | undefined> {
    const answer = await visit(nginx.httpsPort, domain, { tls: {} }).catch(() => undefined);
    return answer?.status === 200 ? JSON.parse(answer.text).version : undefined;
  }
  const namesOf = ({ slug }: TenantAnswer): string[] => [`${slug}.example.org`, `api.${slug}.example.org`];

  /** Both names lead to this version (undefined: to nothing), and nginx has what the manager reports. */
  async function assertTrue(tenant: TenantAnswer, version: string | undefined): Promise<void> {
    for (const name of namesOf(tenant))
      await until(
        () => versionAt(name),
        (found) => found === version,
      );
    const { body } = await manager.call<{ configs: { state: string }[] }>(
      'GET',
      `/api/proxy/configs?tenant_id=${tenant.id}`,
    );
    expect(body.configs.map(({ state }) => state)).toEqual(version === undefined ? [] : ['in_sync', 'in_sync']);
    // No other files remain: no previous file, no candidate, no partial one.
    expect((await readdir(nginx.sites)).filter((name) => /^\.|\.tmp$/.test(name))).toEqual([]);
    expect((await manager.call('POST', '/api/proxy/test')).body).toMatchObject({ valid: true });
  }

  test.each(momentsOf('proxy, first deployment', ['Configure proxy', 'Setup SSL']))(
    'a first deployment killed at “%s” + %i ms',
    async (step, delayMs) => {
      const tenant = await makeTenant();
      const id = await deployAndKill(manager, tenant.id, { version: 'v2.0.0', step, delayMs });
      await manager.start();
      const { status } = await endOfDeployment(manager, id);
      expect(['success', 'failed']).toContain(status);
      await assertTrue(tenant, status === 'success' ? 'v2.0.0' : undefined);
      await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
      await assertTrue(tenant, undefined);
    },
  );

  test.each(momentsOf('proxy, redeployment', ['Configure proxy', 'Start services']))(
    'a redeployment killed at “%s” + %i ms',
    async (step, delayMs) => {
      const tenant = await makeTenant();
      await deployed(tenant);
      const id = await deployAndKill(manager, tenant.id, { version: 'v2.1.0', step, delayMs });
      await manager.start();
      const { status } = await endOfDeployment(manager, id);
      expect(['success', 'failed']).toContain(status);
      await assertTrue(tenant, status === 'success' ? 'v2.1.0' : 'v2.0.0');
      await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    },
  );

  test.each(sampled('proxy, host names', 1, delaysMs))(
    'a change of host names killed %i ms after the response',
    async (delayMs) => {
      const tenant = await makeTenant();
      await deployed(tenant);
      const domain = `new-${tenant.slug}.example.org`;
      expect((await manager.call('PUT', `/api/tenants/${tenant.id}`, { body: { domain } })).status).toBe(200);
      if (delayMs > 0) await sleep(delayMs);
      await manager.kill();
      await manager.start();
      await until(
        async () => [await versionAt(domain), await versionAt(`${tenant.slug}.example.org`)],
        ([now, before]) => now === 'v2.0.0' && before === undefined,
      );
      await until(
        () => manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`),
        ({ status }) => status === 200,
      );
    },
  );
});
