import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeManagerProcess } from '../../harness/app/manager-process.ts';
import { causesOf, type PreflightAnswer, preflightOf, resultsOf } from '../../harness/data/preflight.ts';
import { mountSmallDisk } from '../../harness/data/small-disk.ts';
import { until } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { EngineProxy } from '../../harness/engine/engine-proxy.ts';
import { TokenRegistry } from '../../harness/servers/token-registry.ts';

const local = 'node:24-bookworm-slim';
const account = { username: 'reader', password: 'image-pass/+word' };

describeWithEngine('a check of a host with an engine', () => {
  const docker = new Docker();
  let engine: EngineProxy;
  let outside: Server;
  let app: App;
  let open: TokenRegistry;
  let closed: TokenRegistry;
  let image: string;
  /** What the containers were confined to. */
  const confined: object[] = [];

  beforeAll(async () => {
    outside = createServer((_request, response) => response.end('here'));
    await new Promise<void>((resolve) => outside.listen(0, '0.0.0.0', resolve));
    engine = await EngineProxy.open();
    open = await TokenRegistry.start();
    closed = await TokenRegistry.start(account);
    image = await open.copy(local, 'team/node:24');
    app = await start();
  });
  afterEach(async () => {
    engine.changeAnswer = undefined;
    engine.changeRequest = nameOfHost;
    open.fault = undefined;
    for (const { RepoTags } of await docker.listImages())
      for (const tag of RepoTags ?? []) if (tag.startsWith(open.address)) await docker.getImage(tag).remove();
  });
  afterAll(async () => {
    await app?.stop();
    outside.closeAllConnections();
    await new Promise((resolve) => outside.close(resolve));
    await open.close();
    await closed.close();
    await engine.close();
  });

  const start = (environment: Record<string, string> = {}): Promise<App> => {
    engine.changeRequest = nameOfHost;
    return startApp({
      environment: { RUNTIME: 'docker', DOCKER_HOST: `unix://${engine.socketPath}`, ...environment },
      outsideUrl: outsideUrl(),
    });
  };
  /** A name that this host resolves; containers do by what is added to each. */
  const outsideUrl = (): string => `http://${hostname()}:${(outside.address() as AddressInfo).port}/`;
  const nameOfHost = {
    wanted: /^POST \/containers\/create/,
    change({ HostConfig, ...others }: { HostConfig: object }) {
      confined.push(HostConfig);
      return { ...others, HostConfig: { ...HostConfig, ExtraHosts: [`${hostname()}:host-gateway`] } };
    },
  };
  const left = async (instance: string): Promise<unknown[]> => {
    const filters = { label: [`org.tenantry.instance=${instance}`] };
    return Promise.all([
      docker.listContainers({ all: true, filters }),
      docker.listNetworks({ filters }),
      docker.listImages({ filters }),
    ]).then((found) => found.flat());
  };
  /** The instance is part of the network's name. */
  const instanceOf = ({ requests }: EngineProxy): string =>
    /tenantry--preflight-([\w-]+)/.exec(requests.join('\n'))?.[1] ?? 'unknown';

  test('pulls, builds, connects containers, and leaves nothing', async () => {
    const found = await preflightOf(app, { base_image: image });
    expect(found).toMatchObject({ status: 'success', base_image: image });
    expect(found.checks.map(({ check, status }) => [check, status])).toEqual(
      [
        ...['runtime', 'base_image', 'build', 'network', 'containers', 'published_port', 'container_names'],
        ...['container_https', 'host_names', 'host_https', 'tenant_database', 'clock', 'data_disk', 'engine_disk'],
      ].map((check) => [check, 'good']),
    );
    expect(found.checks[0]?.detail).toMatch(/^Docker Engine .+ \(API /);
    expect(engine.requests.some((requested) => requested.startsWith('POST /images/create?'))).toBe(true);
    expect(await left(instanceOf(engine))).toEqual([]);
    // The image of a check may be hostile.
    expect(confined).toHaveLength(2);
    for (const host of confined)
      expect(host).toMatchObject({
        ...{ CapDrop: ['ALL'], SecurityOpt: ['no-new-privileges'], LogConfig: { Config: { 'max-size': '10m' } } },
        ...{ Memory: 256 * 1024 ** 2, NanoCpus: 1e9, PidsLimit: 64 },
      });
  });

  test('the disk usage counts the engine’s build cache', async () => {
    engine.changeAnswer = {
      wanted: /^GET \/system\/df/,
      change: () => ({ BuildCache: [{ Size: 300 }, { Size: 20, Shared: false }, { Size: 1_000, Shared: true }] }),
    };
    expect((await app.call('GET', '/api/system/disk')).body).toMatchObject({ build_cache_bytes: 320 });
  });

  test('registry away: the image is missing, so what needs it is not checked', async () => {
    const away = '127.0.0.1:9/team/node:1';
    const found = await preflightOf(app, { base_image: away });
    expect(causesOf(found)).toEqual([
      {
        check: 'base_image',
        code: 'registry_unreachable',
        params: { image: away, registry: '127.0.0.1:9' },
        remedy: 'check_network',
      },
    ]);
    expect(resultsOf(found)).toMatchObject({
      build: { status: 'not_checked', reason: 'image_missing' },
      containers: { status: 'not_checked', reason: 'image_missing' },
      published_port: { status: 'not_checked', reason: 'no_containers' },
      network: { status: 'good' },
    });
  });

  test('wrong credentials', async () => {
    const locked = await closed.put('team/locked:1', { 'a.txt': 'a' });
    const body = { host: closed.address, ...account, password: 'wrong-secret' };
    const { body: registry } = await app.call<{ id: string }>('POST', '/api/system/registries', { body });
    const found = await preflightOf(app, { base_image: locked });
    expect(causesOf(found)).toMatchObject([
      { check: 'base_image', code: 'registry_credentials_refused', remedy: 'set_registry_credentials' },
    ]);
    expect(JSON.stringify(found)).not.toContain('wrong-secret');
    await app.call('DELETE', `/api/system/registries/${registry.id}`);
  });

  test('rate limit', async () => {
    open.fault = (_request, response) => {
      response.writeHead(429, { 'content-type': 'application/json' });
      response.end('{"errors":[{"code":"TOOMANYREQUESTS","message":"You have reached your pull rate limit"}]}');
    };
    expect(causesOf(await preflightOf(app, { base_image: image }))).toMatchObject([
      { check: 'base_image', code: 'registry_rate_limited', remedy: 'wait_for_registry' },
    ]);
  });

  test('no name resolution in containers', async () => {
    engine.changeRequest = {
      wanted: /^POST \/containers\/create/,
      change: ({ HostConfig, ...others }) => ({ ...others, HostConfig: { ...HostConfig, Dns: ['127.0.0.1'] } }),
    };
    const found = await preflightOf(app, { base_image: image });
    expect(causesOf(found)).toEqual([
      {
        check: 'container_names',
        code: 'container_name_unresolved',
        params: { host: hostname() },
        remedy: 'set_container_name_servers',
      },
    ]);
    expect(resultsOf(found)).toMatchObject({
      containers: { status: 'good' },
      container_https: { status: 'not_checked' },
    });
  });

  test('full disk of the engine', async () => {
    const directory = join(tmpdir(), `tenantry-engine-root-${process.pid}`);
    const unmount = await mountSmallDisk(directory, 1_024);
    if (!unmount) return;
    engine.changeAnswer = { wanted: /^GET \/info/, change: (info) => ({ ...info, DockerRootDir: directory }) };
    try {
      expect(causesOf(await preflightOf(app, { base_image: image }))).toMatchObject([
        { check: 'engine_disk', code: 'disk_full', params: { place: directory, free: '1 MiB' }, remedy: 'free_disk' },
      ]);
    } finally {
      await unmount();
    }
  });

  test('full disks of the engine and of its images: each is named', async () => {
    const directory = join(tmpdir(), `tenantry-engine-roots-${process.pid}`);
    const images = join(directory, 'containerd', 'daemon');
    const unmount = await mountSmallDisk(directory, 1_024);
    const unmountImages = unmount && (await mountSmallDisk(images, 512));
    if (!unmountImages) return;
    engine.changeAnswer = {
      wanted: /^GET \/info/,
      change: (info) => ({
        ...{ ...info, DockerRootDir: directory },
        DriverStatus: [['driver-type', 'io.containerd.snapshotter.v1']],
      }),
    };
    try {
      expect(causesOf(await preflightOf(app, { base_image: image }))).toMatchObject([
        { check: 'engine_disk', code: 'disk_full', params: { place: directory } },
        { check: 'image_disk', code: 'disk_full', params: { place: images } },
      ]);
    } finally {
      await unmountImages();
      await unmount();
    }
  });

  test('engine too old: nothing else is said about it', async () => {
    engine.changeAnswer = {
      wanted: /^GET \/version/,
      change: (answer) => ({ ...answer, Version: '19.03.15', ApiVersion: '1.40' }),
    };
    const old = await start();
    try {
      const found = await preflightOf(old);
      expect(causesOf(found)).toEqual([
        {
          check: 'runtime',
          code: 'engine_too_old',
          params: { version: '19.03.15', api: '1.40' },
          remedy: 'update_engine',
        },
      ]);
      for (const check of ['base_image', 'build', 'network', 'containers'] as const)
        expect(resultsOf(found)[check]).toMatchObject({ status: 'not_checked' });
    } finally {
      await old.stop();
    }
  });

  test('an engine that cannot build with its image store', async () => {
    engine.changeAnswer = {
      wanted: /^GET \/(?:version|info)/,
      change: (answer) =>
        'DriverStatus' in answer
          ? { ...answer, DriverStatus: [['driver-type', 'io.containerd.snapshotter.v1']] }
          : { ...answer, Version: '26.1.5', ApiVersion: '1.45' },
    };
    const old = await start();
    try {
      expect(causesOf(await preflightOf(old))).toMatchObject([
        { check: 'runtime', code: 'engine_store_unusable', params: { version: '26.1.5' }, remedy: 'update_engine' },
      ]);
    } finally {
      await old.stop();
    }
  });

  test('address pool exhausted', async () => {
    const pool = '10.231.77.0/28';
    const IPAM = { Driver: 'default', Config: [{ Subnet: pool }] };
    const taken = await docker.createNetwork({ Name: `tenantry-test-pool-${process.pid}`, Driver: 'bridge', IPAM });
    const small = await start({ DOCKER_NETWORK_POOL: pool });
    try {
      const found = await preflightOf(small, { base_image: image });
      expect(causesOf(found)).toEqual([
        { check: 'network', code: 'network_pool_exhausted', params: { pool }, remedy: 'enlarge_network_pool' },
      ]);
      expect(resultsOf(found).containers).toMatchObject({ status: 'not_checked', reason: 'no_network' });
    } finally {
      await small.stop();
      await taken.remove();
    }
  });

  test('after kill -9 the next manager finishes the check, and nothing is left', async () => {
    const manager = await makeManagerProcess({ RUNTIME: 'docker', DOCKER_HOST: `unix://${engine.socketPath}` });
    try {
      await manager.start();
      engine.requests.length = 0;
      const hold = engine.hold(/^POST \/containers\/[0-9a-f]+\/exec/);
      await manager.call('POST', '/api/system/preflight');
      await hold.reached;
      const instance = instanceOf(engine);
      expect(await left(instance)).not.toEqual([]);
      await manager.kill();
      hold.release();
      await manager.start();
      const last = async () =>
        (await manager.call<{ preflight: PreflightAnswer }>('GET', '/api/system/preflight')).body.preflight;
      const found = await until(last, ({ finished_at }) => finished_at !== null);
      expect(resultsOf(found).containers).toMatchObject({ status: 'good' });
      expect(await left(instance)).toEqual([]);
    } finally {
      await manager.stop();
      await manager.remove();
    }
  });
});
