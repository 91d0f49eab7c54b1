import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Runtime } from '../../src/adapters/runtimes/runtime.ts';
import { type ProxiedApp, proxyOf, startProxiedApp } from '../harness/app/proxied-app.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer } from '../harness/data/tenants.ts';
import { describeWithNginx } from '../harness/proxy/nginx.ts';
import { visit } from '../harness/proxy/visitor.ts';

// Local processes on 127.0.0.1; the other addresses are nodes on which nothing listens.
describeWithNginx('a site follows units that move to other nodes', () => {
  let proxied: ProxiedApp;
  let tenant: TenantAnswer;
  let runtime: Runtime;
  let proxyAddress: Runtime['proxyAddress'];
  let asked = 0;

  beforeAll(async () => {
    proxied = await startProxiedApp({}, { healthTimeoutMs: 20_000 });
    runtime = proxied.app.manager.app.runtime;
    proxyAddress = runtime.proxyAddress;
    tenant = await makeTenant(proxied.app, proxied.repository.path);
    const end = await deploy(proxied.app, tenant.id, { target_version: 'v1.0.0' });
    expect(end).toMatchObject({ status: 'success', error: null });
    tenant = await getTenant(proxied.app, tenant.id);
    nodes('127.0.0.1', '127.0.0.2', '127.0.0.3');
  });
  afterAll(() => proxied.destroy());

  /** The runtime's answers from now on. */
  function nodes(first: string, ...others: string[]): void {
    runtime.proxyAddress = async (unit, port) => {
      asked += 1;
      return { ...(await proxyAddress(unit, port)), host: first };
    };
    runtime.backupAddresses = async ({ port }) => others.map((host) => ({ host, port }));
  }
  const follow = () => proxied.app.manager.app.sites.follow(tenant.id);
  /** The servers of each unit's upstream block, as in the site's file. */
  async function servers(): Promise<string[][]> {
    const { configuration, state } = await proxyOf(proxied.app, tenant.id);
    expect(state).toBe('in_sync');
    const blocks = [...(configuration ?? '').matchAll(/^upstream \S+ \{\n([^}]*)\}/gm)].map(([, block = '']) => block);
    return blocks.map((block) => [...block.matchAll(/server ([\d.]+):/g)].map(([, host = '']) => host));
  }
  const expectServed = async () => {
    for (const [domain, path] of [
      [tenant.domain, '/'],
      [tenant.api_domain, '/api/health'],
    ]) {
      const { status } = await visit(proxied.nginx.httpPort, String(domain), { path: String(path) });
      expect([domain, status]).toEqual([domain, 200]);
    }
  };

  test('and lists the node that runs a unit first, which serves', async () => {
    await follow();
    expect(await servers()).toEqual(Array(2).fill(['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.1']));
    await expectServed();
  });

  test('and is reached while its file does not list the right node first yet', async () => {
    nodes('127.0.0.2', '127.0.0.1', '127.0.0.3');
    await follow();
    expect(await servers()).toEqual(Array(2).fill(['127.0.0.2', '127.0.0.1', '127.0.0.3', '127.0.0.2']));
    await expectServed();
  });

  test('once for several moves at a time', async () => {
    asked = 0;
    await Promise.all([follow(), follow(), follow(), follow()]);
    // Both units, for the first move and once for the others.
    expect(asked).toBeLessThanOrEqual(4);
  });

  test('after the end of work on its tenant', async () => {
    const before = await servers();
    const work = Promise.withResolvers<void>();
    const working = proxied.app.manager.app.engine.exclusive(tenant.id, 'work', () => work.promise);
    nodes('127.0.0.1', '127.0.0.2', '127.0.0.3');
    const following = follow();
    expect(await servers()).toEqual(before);
    work.resolve();
    await working;
    await following;
    expect(await servers()).toEqual(Array(2).fill(['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.1']));
  });

  test('also after a failure', async () => {
    const { tenants } = proxied.app.manager.app;
    const { find } = tenants;
    tenants.find = async () => {
      tenants.find = find;
      throw new Error('The store does not answer');
    };
    nodes('127.0.0.3', '127.0.0.1');
    await follow();
    expect(await servers()).toEqual(Array(2).fill(['127.0.0.3', '127.0.0.1', '127.0.0.3']));
    await expectServed();
  });
});
