import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker, { type Container, type Network } from 'dockerode';
import type { ReverseProxy } from '../../../src/adapters/proxies/proxy.ts';
import { createContainerPrograms } from '../../../src/adapters/runtimes/engine/exec/container-programs.ts';
import { execute } from '../../../src/adapters/runtimes/engine/exec/execute.ts';
import { until } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { slowness } from '../../harness/patience.ts';
import { TestNginx } from '../../harness/proxy/nginx.ts';
import { certificateTls, makeCertificate, makeSite, siteWork } from '../../harness/proxy/sites.ts';
import { startUpstream, type Upstream } from '../../harness/proxy/upstream.ts';
import { visit } from '../../harness/proxy/visitor.ts';

const script = join(import.meta.dirname, '..', '..', '..', 'docker', 'stack', 'sites.sh');

// Two hosts of docker/stack/stack.yaml: containers with addresses of their own, which share the manager's directory.
describeWithEngine('docker', () => {
  const docker = new Docker({ socketPath: '/var/run/docker.sock' });
  const service = `tenantry-test-sites-${process.pid}`;
  let nginx: TestNginx;
  let network: Network;
  let gateway: string;
  let hosts: Container[];
  let proxy: ReverseProxy;
  let upstream: Upstream;

  const addressOf = async (host: Container): Promise<string> =>
    (await host.inspect()).NetworkSettings.Networks[service]?.IPAddress ?? '';
  const addresses = async () => (await Promise.all(hosts.map(addressOf))).filter((address) => address !== '');
  const site = (slug: string, changes = {}) => makeSite(slug, upstream.port, { upstreamHost: gateway, ...changes });
  /** What a visitor of the site gets at each host. */
  const seen = async (slug: string) =>
    Promise.all(
      (await addresses()).map(async (host) => {
        const answer = await visit(nginx.httpPort, `${slug}.example`, { host }).catch(() => undefined);
        return answer?.status === 200 ? JSON.parse(answer.text).name : answer?.status;
      }),
    );
  const open = async () =>
    nginx.proxy({
      run: createContainerPrograms({ service }),
      directory: nginx.directory,
      hosts: { addresses },
      listen: { addresses: ['0.0.0.0'] },
      proofTimeoutMs: 8_000 * slowness,
    });

  beforeAll(async () => {
    nginx = await TestNginx.create();
    network = await docker.createNetwork({ Name: service });
    gateway = (await network.inspect()).IPAM?.Config?.[0]?.Gateway ?? '';
    upstream = await startUpstream('the application', gateway);
    hosts = await Promise.all(
      [1, 2].map(async () => {
        const made = await docker.createContainer({
          Image: 'nginx:1.30',
          Labels: { 'com.docker.swarm.service.name': service },
          Cmd: ['sh', '/sites.sh'],
          Env: [`PROXY_DIRECTORY=${nginx.directory}`],
          HostConfig: {
            NetworkMode: service,
            Binds: [`${nginx.directory}:${nginx.directory}`, `${script}:/sites.sh:ro`],
          },
        });
        await made.start();
        return made;
      }),
    );
    // They wait for the configuration that the manager writes at its first start.
    proxy = await open();
  });
  afterAll(async () => {
    await proxy?.close();
    await Promise.all((hosts ?? []).map((host) => host.remove({ force: true })));
    await network?.remove();
    await upstream?.close();
    await nginx?.destroy();
  });

  test('every host serves a site, over TLS too, and stops', async () => {
    expect(await proxy.availability()).toMatchObject({ available: true });
    await proxy.apply(site('first'), siteWork());
    expect(await seen('first')).toEqual(['the application', 'the application']);

    const certificate = await makeCertificate('first.example');
    const { fingerprint } = certificate;
    await proxy.putCertificate({ id: 'id-of-first', slug: 'first' }, certificate);
    await proxy.apply(site('first', { tls: certificateTls(certificate) }), siteWork());
    for (const host of await addresses())
      expect((await visit(nginx.httpsPort, 'first.example', { host, tls: {} })).tls).toMatchObject({ fingerprint });

    await proxy.remove({ id: 'id-of-first', slug: 'first' }, siteWork());
    expect(await seen('first')).toEqual([404, 404]);
  });

  test('a host that is away is no obstacle, and serves the site when it is back', async () => {
    const [away] = hosts as [Container];
    await away.stop();
    await proxy.apply(site('second'), siteWork());
    expect(await seen('second')).toEqual(['the application']);
    await away.start();
    await until(
      () => seen('second'),
      (names) => names.length === 2 && names.every((name) => name === 'the application'),
    );
  });

  test('a host that does not take up a change fails it: all hosts serve what they did before', async () => {
    await proxy.apply(site('third'), siteWork());
    const [, stuck] = hosts as [Container, Container];
    // As if this host's view of the shared storage were old.
    const inside = async (...argv: string[]) => execute(stuck, argv, siteWork());
    await inside('mv', '/usr/bin/sha256sum', '/usr/bin/away');
    try {
      await expect(proxy.apply(site('third', { domain: 'other.example' }), siteWork())).rejects.toThrow(
        /nginx did not apply the configuration, it was rolled back: other\.example is not served as configured/,
      );
    } finally {
      await inside('mv', '/usr/bin/away', '/usr/bin/sha256sum');
    }
    await until(
      () => seen('third'),
      (names) => names.every((name) => name === 'the application'),
    );
    expect(await seen('other')).toEqual([404, 404]);
  });
});
