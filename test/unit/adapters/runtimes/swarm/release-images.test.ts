import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { Engine } from '../../../../../src/adapters/runtimes/engine/client/docker-client.ts';
import {
  createReleaseImages,
  type Registry,
} from '../../../../../src/adapters/runtimes/swarm/images/release-images.ts';
import { newSecret } from '../../../../../src/lib/ids.ts';
import { createLogger } from '../../../../../src/lib/logger.ts';
import { writeRelease } from '../../../../contracts/runtime-fixture.ts';
import { describeWithEngine, removeImage } from '../../../../harness/engine/engine.ts';
import { EngineProxy } from '../../../../harness/engine/engine-proxy.ts';
import { account, registryInstalled, TestRegistry } from '../../../../harness/swarm/registry.ts';

const logger = createLogger({ level: 'fatal' });
const { signal } = new AbortController();

/** Images of releases through a real registry; the engine is this machine's. */
describeWithEngine('release images', () => {
  if (!registryInstalled && process.env.CI !== 'true') {
    test.skip('skipped: docker-registry is not installed', () => undefined);
    return;
  }
  const instance = `test-${newSecret(6)}`;
  let directory: string;
  let proxy: EngineProxy;
  let open: TestRegistry;
  let closed: TestRegistry;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-images-'));
    [proxy, open, closed] = await Promise.all([
      EngineProxy.open(),
      TestRegistry.start(),
      TestRegistry.start({ credentials: true }),
    ]);
  });
  afterAll(async () => {
    const docker = new Docker();
    const filters = { label: [`org.tenantry.instance=${instance}`] };
    for (const { Id: id } of await docker.listImages({ filters })) await removeImage(docker, id);
    await Promise.all([proxy.close(), open.close(), closed.close()]);
    await rm(directory, { recursive: true, force: true });
  });

  /** @param nodes of the swarm; the engine of this machine is none */
  function imagesOf(registry: Registry | undefined, nodes = 1) {
    const engine = new Engine({ socketPath: proxy.socketPath }, 20_000, logger);
    const { user: username, password } = registry ?? {};
    const auth = username ? { username, password: password ?? '', serveraddress: registry?.address ?? '' } : undefined;
    const swarm = { listNodes: async () => Array(nodes).fill({}), listServices: async () => [] } as unknown as Docker;
    const call = async <T>(request: (docker: Docker) => Promise<T>): Promise<T> => request(swarm);
    return createReleaseImages(
      { call, follow: call, engines: [engine], instance, logger, storage: directory, auth },
      registry,
    );
  }
  const recorded = () => {
    const lines: string[] = [];
    return { lines, work: { log: (line: string) => void lines.push(line), signal } };
  };

  test('are built once, pushed, referenced by digest, and known to every manager', async () => {
    const release = await writeRelease(directory, 'one');
    const { lines, work } = recorded();
    const images = imagesOf(open);
    expect(await images.hasRelease(release.key)).toBe(false);
    await images.prepareRelease(release, work);
    expect(lines).toContain(`Pushing the api image to ${open.address}`);
    const reference = await images.imageOf('api', release.key);
    expect(reference).toMatch(/^127\.0\.0\.1:\d+\/[a-z0-9/-]+@sha256:[0-9a-f]{64}$/);

    // The engine that built them is replaced by another, which has nothing.
    await removeLocally();
    const others = imagesOf(open);
    expect(await others.hasRelease(release.key)).toBe(true);
    const again = recorded();
    await others.prepareRelease(release, again.work);
    expect(again.lines).toEqual([`The images of ${release.commit} are in the registry already`]);
    expect(await others.imageOf('api', release.key)).toBe(reference);
    await others.pull(reference, work);
    const found = await new Docker().getImage(reference).inspect();
    expect(found.Config.Labels).toMatchObject({ 'org.tenantry.release': release.key });
  });

  test('are not what somebody else put under their names, before or after the push', async () => {
    const images = imagesOf(open);
    const first = await writeRelease(directory, 'first');
    await images.prepareRelease(first, recorded().work);
    const [repo = ''] = (await images.imageOf('api', first.key)).split('@');
    const ahead = await writeRelease(directory, 'ahead');
    for (const role of ['api', 'frontend']) await pushForeign(repo.replace(/api$/, role), ahead.key);
    expect(await images.hasRelease(ahead.key)).toBe(false);
    const { lines, work } = recorded();
    await images.prepareRelease(ahead, work);
    expect(lines).toContain(`Pushing the api image to ${open.address}`);
    const reference = await images.imageOf('api', ahead.key);

    const foreign = await pushForeign(repo, ahead.key);
    expect(await imagesOf(open).hasRelease(ahead.key)).toBe(false);
    expect(await imagesOf(open).imageOf('api', ahead.key)).toBe(reference);
    expect(reference).not.toContain(foreign);
    await imagesOf(open).prepareRelease(ahead, work);
    expect(await images.hasRelease(ahead.key)).toBe(true);
    await removeLocally();
    await images.pull(await images.imageOf('api', ahead.key), work);
  });

  /** Pushes an image that no manager built, as anybody with the registry's credentials could. @returns its digest */
  async function pushForeign(repo: string, tag: string): Promise<string> {
    const docker = new Docker();
    const image = docker.getImage('node:24-bookworm-slim');
    await image.tag({ repo, tag });
    const pushing = await docker.getImage(`${repo}:${tag}`).push({ authconfig: {} });
    await new Promise((resolve) => docker.modem.followProgress(pushing, resolve));
    const { RepoDigests: names } = await image.inspect();
    await docker.getImage(`${repo}:${tag}`).remove();
    return names.find((name) => name.startsWith(`${repo}@`))?.split('@')[1] ?? '';
  }

  test('are removed from the engine and the registry unless they are needed', async () => {
    const images = imagesOf(open);
    const [kept, old] = await Promise.all([writeRelease(directory, 'kept'), writeRelease(directory, 'old')]);
    for (const release of [kept, old]) await images.prepareRelease(release, recorded().work);
    const removed = await images.removeReleasesExcept(new Set([kept.key]));
    expect(removed).toContain(old.key);
    expect(removed).not.toContain(kept.key);
    expect(await images.hasRelease(kept.key)).toBe(true);
    expect(await images.hasRelease(old.key)).toBe(false);
    await expect(imagesOf(open).imageOf('api', old.key)).rejects.toThrow('was not pushed');
    expect(await images.removeReleasesExcept(new Set([kept.key]))).toEqual([]);
  });

  test('go to a registry with credentials, which are in no address and no message', async () => {
    const release = await writeRelease(directory, 'private');
    const { lines, work } = recorded();
    const images = imagesOf({ address: closed.address, ...account });
    await images.prepareRelease(release, work);
    expect(await images.hasRelease(release.key)).toBe(true);
    const reference = await images.imageOf('frontend', release.key);
    await removeLocally();
    await images.pull(reference, work);
    expect(await images.removeReleasesExcept(new Set())).toContain(release.key);
    expect(await images.hasRelease(release.key)).toBe(false);
    const secrets = [account.password, encodeURIComponent(account.password)];
    for (const secret of [
      ...secrets,
      Buffer.from(`${account.user}:${account.password}`).toString('base64'),
      'authconfig',
    ])
      expect([...proxy.requests, ...lines].join('\n')).not.toContain(secret);
  });

  test.each([
    ['none', {}],
    ['wrong ones', { user: 'tenantry', password: 'wrong-and-secret' }],
  ])('are refused by a registry for missing credentials: %s', async (_which, credentials) => {
    const release = await writeRelease(directory, 'refused');
    const images = imagesOf({ address: closed.address, ...credentials });
    const failure = await images.prepareRelease(release, recorded().work).then(
      () => undefined,
      (error: unknown) => error as Error,
    );
    expect(failure).toMatchObject({ code: 'runtime_unavailable' });
    expect(failure?.message).toContain('SWARM_REGISTRY');
    expect(failure?.message).not.toContain('wrong-and-secret');
  });

  test('of a push that was cut are not prepared; the next try completes them', async () => {
    const registry = await TestRegistry.start();
    try {
      const release = await writeRelease(directory, 'cut');
      const images = imagesOf({ address: registry.address });
      const aborting = new AbortController();
      const log = (line: string): void => {
        if (line.startsWith('Pushing the frontend image')) aborting.abort(new Error('cancelled by the test'));
      };
      await expect(images.prepareRelease(release, { log, signal: aborting.signal })).rejects.toThrow(
        'cancelled by the test',
      );
      expect(await images.hasRelease(release.key)).toBe(false);
      await registry.cut();
      await expect(images.hasRelease(release.key)).rejects.toMatchObject({
        code: 'runtime_unavailable',
        message: expect.stringContaining('SWARM_REGISTRY'),
      });
      await expect(images.prepareRelease(release, recorded().work)).rejects.toMatchObject({
        code: 'runtime_unavailable',
      });
      await registry.restore();
      await images.prepareRelease(release, recorded().work);
      expect(await images.hasRelease(release.key)).toBe(true);
    } finally {
      await registry.close();
    }
  });

  describe('without a registry', () => {
    test('stay on the engine of a swarm of one node', async () => {
      const release = await writeRelease(directory, 'local');
      const images = imagesOf(undefined);
      await images.prepareRelease(release, recorded().work);
      expect(await images.hasRelease(release.key)).toBe(true);
      await new Docker().getImage(await images.imageOf('api', release.key)).inspect();
    });

    test('are refused for several nodes', async () => {
      const release = await writeRelease(directory, 'several');
      await expect(imagesOf(undefined, 3).prepareRelease(release, recorded().work)).rejects.toThrow(
        'SWARM_REGISTRY is not set',
      );
    });
  });

  async function removeLocally(): Promise<void> {
    const docker = new Docker();
    const filters = { label: [`org.tenantry.instance=${instance}`] };
    for (const { Id: id } of await docker.listImages({ filters })) await removeImage(docker, id);
  }
});
