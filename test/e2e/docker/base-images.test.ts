import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import type { ImageAccess } from '../../../src/adapters/runtimes/image-access.ts';
import type { Runtime } from '../../../src/adapters/runtimes/runtime.ts';
import { poll } from '../../../src/lib/concurrency/poll.ts';
import { ExplainedError, type FoundCause } from '../../../src/lib/errors.ts';
import { startApp } from '../../harness/app/app.ts';
import { testRuntime } from '../../harness/engine/docker-runtime.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { patienceMs } from '../../harness/patience.ts';
import { TokenRegistry } from '../../harness/servers/token-registry.ts';

const account = { username: 'reader', password: 'image-pass/+word' };

describeWithEngine('base images of a registry that asks for a token', () => {
  const docker = new Docker();
  let directory: string;
  let runtime: Runtime;
  let open: TokenRegistry;
  let closed: TokenRegistry;
  let builds = 0;
  const built = new Set<string>();

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-bases-'));
    runtime = testRuntime();
    open = await TokenRegistry.start();
    closed = await TokenRegistry.start(account);
  });
  afterEach(async () => {
    open.fault = undefined;
    await runtime.removeReleasesExcept(new Set());
    for (const { RepoTags } of await docker.listImages())
      for (const tag of RepoTags ?? [])
        if (tag.startsWith(open.address) || tag.startsWith(closed.address)) await docker.getImage(tag).remove();
  });
  afterAll(async () => {
    await open.close();
    await closed.close();
    await rm(directory, { recursive: true, force: true });
  });

  const login = {
    ...account,
    get serveraddress() {
      return closed.address;
    },
  };
  const anonymous: ImageAccess = { at: async () => ({ restricted: false }), maxAgeMs: async () => 3_600_000 };
  const granted: ImageAccess = {
    ...anonymous,
    at: async (host) => (host === closed.address ? { login, restricted: true } : { restricted: false }),
  };
  const refused: ImageAccess = { ...anonymous, at: async (host) => ({ restricted: host === closed.address }) };

  /** Builds both units of a Dockerfile whose target is its last stage. Returns the log. */
  async function build(
    dockerfile: string,
    access = anonymous,
    { target, repository = randomBytes(8).toString('hex') }: { target?: string; repository?: string } = {},
  ): Promise<string[]> {
    builds += 1;
    const key = `${repository}-${builds}`;
    built.add(key);
    const checkout = join(directory, key);
    await mkdir(checkout);
    await writeFile(join(checkout, 'Dockerfile'), dockerfile);
    const lines: string[] = [];
    const unit = { port: 80, image: { dockerfile: 'Dockerfile', target } };
    await runtime.prepareRelease(
      { key, commit: `c${builds}`, checkout, units: { api: unit, frontend: unit }, access },
      { log: (line) => lines.push(line), signal: new AbortController().signal },
    );
    expect(await runtime.hasRelease(key)).toBe(true);
    return lines;
  }
  const failure = (dockerfile: string, access = anonymous) =>
    build(dockerfile, access).then(
      () => undefined,
      (error: unknown) => (error instanceof ExplainedError ? error.found : error),
    );
  const onEngine = (name: string) =>
    docker
      .getImage(name)
      .inspect()
      .then(
        () => true,
        () => false,
      );

  test('FROM, with the default of an ARG, is pulled with its progress in the log', async () => {
    const name = await open.put('team/base:1', { 'base.txt': 'base' });
    const log = await build(`ARG TAG=1\nFROM ${open.address}/team/base:\${TAG}\n`);
    expect(log).toContain(`Pulling ${name}`);
    expect(log.some((line) => line.includes('Pull complete') || line.includes('Downloaded newer image'))).toBe(true);
  });

  test.each([
    ['a stage that is built from', (name: string) => `FROM ${name} AS base\nFROM base\n`],
    ['COPY --from', (name: string) => `FROM scratch\nCOPY --from=${name} /base.txt /\n`],
    [
      'RUN --mount from',
      (name: string) => `FROM node:24-bookworm-slim\nRUN --mount=type=bind,from=${name},target=/m cat /m/base.txt\n`,
    ],
  ])('%s is pulled', async (kind, dockerfile) => {
    const name = await open.put(`team/${kind.replaceAll(/\W+/g, '-').toLowerCase()}:1`, { 'base.txt': kind });
    await build(dockerfile(name));
  });

  test('a frontend (# syntax=) is pulled; what only BuildKit can name is pulled when the build asks for it', async () => {
    const frontend = await open.put('team/frontend:1', { 'a.txt': 'no frontend' });
    await expect(build(`# syntax=${frontend}\nFROM scratch\n`)).rejects.toThrow();
    expect(await onEngine(frontend)).toBe(true);
    const name = await open.put(`team/base-${process.arch === 'x64' ? 'amd64' : process.arch}:1`, { 'a.txt': 'a' });
    expect(await build(`FROM ${open.address}/team/base-\${TARGETARCH}:1\n`)).toContain(`Pulling ${name}`);
  });

  test('stages that do not lead to the target are not pulled', async () => {
    const name = await open.put('team/needed:1', { 'base.txt': 'base' });
    await build(`FROM ${open.address}/team/missing:1 AS other\nFROM ${name} AS wanted\nFROM other\n`, anonymous, {
      target: 'wanted',
    });
  });

  test('what cannot be had is named with its registry and the reason', async () => {
    const params = { image: `${open.address}/team/missing:1`, registry: open.address };
    expect(await failure(`FROM ${params.image}\n`)).toMatchObject({ code: 'image_not_found', params });
    const away = '127.0.0.1:9/team/base:1';
    expect(await failure(`FROM ${away}\n`)).toMatchObject({
      code: 'registry_unreachable',
      params: { image: away, registry: '127.0.0.1:9' },
    });
    const unknown = 'registry.invalid/team/base:1';
    expect(await failure(`FROM ${unknown}\n`)).toMatchObject({
      code: 'registry_unresolved',
      params: { image: unknown },
    });
    const locked = await closed.put('team/locked:1', { 'a.txt': 'a' });
    expect(await failure(`FROM ${locked}\n`)).toMatchObject({
      code: 'registry_sign_in_required',
      params: { image: locked, registry: closed.address },
    });
    const wrong: ImageAccess = {
      ...anonymous,
      at: async () => ({ login: { ...login, password: 'wrong' }, restricted: true }),
    };
    expect(await failure(`FROM ${locked}\n`, wrong)).toMatchObject({ code: 'registry_credentials_refused' });
  });

  test('the end of a limit of pulls is what the registry says, and otherwise unknown', async () => {
    const params = { image: `${open.address}/team/limited:2`, registry: open.address };
    const limit = (headers: Record<string, string>, message = 'You have reached your pull rate limit'): void => {
      open.fault = ({ headers: { authorization } }, response) => {
        // As Docker Hub, which counts by token.
        if (authorization === undefined) return false;
        response.writeHead(429, { 'content-type': 'application/json', ...headers });
        return response.end(JSON.stringify({ errors: [{ code: 'TOOMANYREQUESTS', message }] }));
      };
    };
    const limited = async (): Promise<string> => {
      const found = (await failure(`FROM ${params.image}\n`)) as FoundCause;
      expect(found).toMatchObject({ code: 'registry_rate_limited_until', params });
      return found.params?.until ?? '';
    };
    const limitedForMinute = async (): Promise<void> => {
      const before = Date.now();
      const until = Date.parse(await limited());
      expect(until).toBeGreaterThanOrEqual(before + 60_000);
      expect(until).toBeLessThanOrEqual(Date.now() + 60_000);
    };
    limit({});
    expect(await failure(`FROM ${params.image}\n`)).toMatchObject({ code: 'registry_rate_limited', params });
    limit({ 'retry-after': '60' });
    await limitedForMinute();
    limit({ 'retry-after': 'Wed, 01 Jan 2098 10:00:00 GMT' });
    expect(await limited()).toBe('2098-01-01T10:00:00.000Z');
    limit({ 'ratelimit-limit': '100;w=60', 'ratelimit-remaining': '0;w=60' });
    await limitedForMinute();
    limit({}, 'retry-after: 59.5s, allowed: 44000/minute');
    await limitedForMinute();
    limit({ 'ratelimit-limit': '100;w=60', 'ratelimit-remaining': '99;w=60' });
    expect(await failure(`FROM ${params.image}\n`)).toMatchObject({ code: 'registry_rate_limited' });
    expect(open.requests.every(({ authorization }) => !authorization?.startsWith('Basic '))).toBe(true);
  });

  test('a private image serves only whom its credentials serve, and does not stay on the engine', async () => {
    const name = await closed.put('team/private:1', { 'secret.txt': 'secret' });
    await build(`FROM ${name}\n`, granted);
    expect(await onEngine(name)).toBe(false);
    // As if it were there for another build.
    await docker.checkAuth(login);
    await build(`FROM ${name}\n`, granted);
    expect(await failure(`FROM scratch\nCOPY --from=${name} /secret.txt /\n`, refused)).toMatchObject({
      code: 'image_not_allowed',
      params: { image: name, registry: closed.address },
    });
    for (const { path, authorization } of closed.requests)
      if (authorization?.startsWith('Basic ')) expect(path).toMatch(/^\/token/);
    expect(open.requests.every(({ authorization }) => !authorization?.startsWith('Basic '))).toBe(true);
  });

  test('an image that Tenantry built cannot be a base image', async () => {
    expect(await failure('FROM tenantry/api:0123456789abcdef-x\n')).toMatchObject({ code: 'image_own' });
    expect(await failure('FROM scratch\nCOPY --from=docker.io/tenantry/frontend:x / /\n')).toMatchObject({
      code: 'image_own',
    });
  });

  test('a moved tag is found when it is older than the limit; without its registry the engine’s copy is used', async () => {
    const name = await open.put('team/moving:1', { 'a.txt': 'first' });
    const dockerfile = `FROM ${name}\n`;
    await build(dockerfile);
    const first = (await docker.getImage(name).inspect()).Id;
    await open.put('team/moving:1', { 'a.txt': 'second' });
    await build(dockerfile);
    expect((await docker.getImage(name).inspect()).Id).toBe(first);
    const old: ImageAccess = { ...anonymous, maxAgeMs: async () => 0 };
    await build(dockerfile, old);
    const second = (await docker.getImage(name).inspect()).Id;
    expect(second).not.toBe(first);
    open.fault = (_request, response) => void response.writeHead(503).end();
    const log = await build(dockerfile, old);
    expect(log.join('\n')).toMatch(/could not be looked up again, so the engine's own copy is used/);
    expect((await docker.getImage(name).inspect()).Id).toBe(second);
  });

  test('a limit of pulls that is met after the look-up leaves the engine’s copy in use', async () => {
    const name = await open.put('team/limited:1', { 'a.txt': 'first' });
    await build(`FROM ${name}\n`);
    const first = (await docker.getImage(name).inspect()).Id;
    await open.put('team/limited:1', { 'a.txt': 'second' });
    open.fault = ({ url }, response) =>
      url?.includes('/blobs/') ? response.writeHead(429).end('{"errors":[{"code":"TOOMANYREQUESTS"}]}') : false;
    const log = await build(`FROM ${name}\n`, { ...anonymous, maxAgeMs: async () => 0 });
    expect(log.join('\n')).toMatch(/the engine's own copy is used: .* limits how many images are pulled/);
    expect((await docker.getImage(name).inspect()).Id).toBe(first);
  });

  test('the size of the build cache is known', async () => {
    await build('FROM node:24-bookworm-slim\nRUN head -c 5000000 /dev/urandom >/large\n');
    expect(await runtime.buildCacheBytes?.(AbortSignal.timeout(60_000))).toBeGreaterThanOrEqual(5_000_000);
  });

  test('a cache mount is shared by the builds of a repository alone', async () => {
    const run = (line: string) => `FROM node:24-bookworm-slim\nRUN --mount=type=cache,target=/kept ${line}\n`;
    await build(run('echo poisoned > /kept/x'), anonymous, { repository: 'one' });
    await build(run('test ! -e /kept/x'), anonymous, { repository: 'other' });
    await build(run('test -e /kept/x'), anonymous, { repository: 'one' });
  });

  test('a build does not reach a manager that listens on all addresses', async () => {
    const app = await startApp({ environment: { RUNTIME: 'docker', HOST: '0.0.0.0' } });
    try {
      const { IPAM } = await docker.getNetwork('bridge').inspect();
      const { port } = new URL(app.manager.url);
      const url = `http://${IPAM?.Config?.[0]?.Gateway}:${port}/healthz`;
      // Known a moment after the start.
      const isClosed = async () =>
        (await build(
          `FROM node:24-bookworm-slim\nRUN node -e "fetch('${url}').then((r) => console.log('answered', r.status), () => console.log('closed'))" # ${builds}\n`,
        ).then((lines) => lines.some((line) => line.endsWith('closed'))))
          ? true
          : undefined;
      expect(await poll(isClosed, { timeoutMs: patienceMs, intervalMs: 500 })).toBe(true);
    } finally {
      await app.stop();
    }
  });
});
