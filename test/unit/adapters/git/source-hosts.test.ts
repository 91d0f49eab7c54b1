import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { gitTarget, parseRepositoryAddress } from '../../../../src/adapters/git/address.ts';
import { type Git, GitFailure } from '../../../../src/adapters/git/git.ts';
import { createHostRule, parseGitHost } from '../../../../src/adapters/git/host-rule.ts';
import { createRemoteGit } from '../../../../src/adapters/git/remote.ts';
import { createGitSource } from '../../../../src/adapters/git/source.ts';

let directory: string;
const servers: Server[] = [];
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry source-'));
});
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function serve(host: string, listener: RequestListener): Promise<number> {
  const server = createServer(listener).listen(0, host);
  servers.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}

const commit = 'c'.repeat(40);
/** A server of one repository over the dumb HTTP protocol; records the requests. */
async function serveRepository(host: string): Promise<{ port: number; seen: { host?: string; secret?: string }[] }> {
  const seen: { host?: string; secret?: string }[] = [];
  const port = await serve(host, ({ url = '', headers }, response) => {
    seen.push({ host: headers.host ?? '', secret: headers.authorization ?? '' });
    if (url.includes('/info/refs')) response.end(`${commit}\trefs/heads/main\n`);
    else if (url.endsWith('/HEAD')) response.end('ref: refs/heads/main\n');
    else response.writeHead(404).end();
  });
  return { port, seen };
}

const redirectTo = (location: (path: string) => string) =>
  serve('127.0.0.1', ({ url = '' }, response) => void response.writeHead(302, { location: location(url) }).end());

const sourceWith = (allowed: string[], lookup?: (host: string) => Promise<string[]>, environment = process.env) =>
  createGitSource({
    directory: join(directory, 'sources'),
    secretKey: 'test',
    instance: 'test',
    host: environment,
    hosts: createHostRule({ allowed, ...(lookup ? { lookup } : {}) }),
    logger,
  });
const logger = { warn: () => undefined };
const failureOf = (work: Promise<unknown>): Promise<Error & { code?: string }> =>
  work.then(
    () => Promise.reject(new Error('It did not fail')),
    (error) => error,
  );

describe('redirects of a repository server', () => {
  test('do not send credentials to the new host; the error names it and says what to do', async () => {
    const { port, seen } = await serveRepository('127.0.0.2');
    const first = await redirectTo((path) => `http://spy:pw@127.0.0.2:${port}${path.replace('/repo', '/moved')}`);
    const source = sourceWith(['127.0.0.1', '127.0.0.2']);
    const error = await failureOf(source.refs(`http://robot:s3cr3t-t0ken@127.0.0.1:${first}/repo.git`));
    expect(error.code).toBe('git_error');
    expect(error.message).toContain(`redirects to http://127.0.0.2:${port}/moved.git.`);
    expect(error.message).toContain('set git_repo to the new one');
    expect(error.message).not.toMatch(/s3cr3t|spy|pw@/);
    expect(seen).toEqual([]);
  });

  test('are followed without credentials', async () => {
    const { port } = await serveRepository('127.0.0.2');
    const first = await redirectTo((path) => `http://127.0.0.2:${port}${path}`);
    const refs = await sourceWith(['127.0.0.1', '127.0.0.2']).refs(`http://127.0.0.1:${first}/repo.git`);
    expect(refs.head).toEqual({ branch: 'main', commit });
  });

  test('are not followed to a host that is not allowed', async () => {
    const { port, seen } = await serveRepository('127.0.0.2');
    const first = await redirectTo((path) => `http://127.0.0.2:${port}${path}`);
    const error = await failureOf(sourceWith(['127.0.0.1']).refs(`http://127.0.0.1:${first}/repo.git`));
    expect(error.message).toContain('127.0.0.2 of the repository is not public (loopback)');
    expect(seen).toEqual([]);
  });

  test('share the timeout of the request', async () => {
    const limits: (number | undefined)[] = [];
    const git: Git = async (_args, { environment, onLine, timeoutMs } = {}) => {
      limits.push(timeoutMs);
      await sleep(20);
      if (environment) onLine?.('<= Recv header: location: http://127.0.0.1/moved/info/refs');
      if (limits.length < 3) throw new GitFailure('The requested URL returned error: 302');
      return '';
    };
    const remoteGit = createRemoteGit(git, createHostRule({ allowed: ['127.0.0.1'] }));
    const repository = parseRepositoryAddress('http://127.0.0.1/repo.git');
    await remoteGit(repository, (address) => ['ls-remote', address], { timeoutMs: 5_000 });
    const [first = 0, second = 0, third = 0] = limits;
    expect([first <= 5_000, second < first, third < second]).toEqual([true, true, true]);
  });

  test('are limited in number, and end where no repository is found', async () => {
    const loop: number = await redirectTo((path) => path);
    const source = sourceWith(['127.0.0.1']);
    expect((await failureOf(source.refs(`http://127.0.0.1:${loop}/repo.git`))).message).toContain('more than 5 times');
    const login = await redirectTo(() => '/sign-in');
    expect((await failureOf(source.refs(`http://127.0.0.1:${login}/repo.git`))).message).toContain('no repository');
  });
});

describe('repository hosts', () => {
  test('does not connect to a name that resolves to a forbidden address', async () => {
    const { port, seen } = await serveRepository('127.0.0.1');
    for (const allowed of [[], ['git.example'], ['*.example']]) {
      const source = sourceWith(allowed, async () => ['127.0.0.1']);
      const error = await failureOf(source.refs(`http://git.example:${port}/repo.git`));
      expect(error.message).toContain('git.example of the repository is not public (loopback)');
    }
    expect(seen).toEqual([]);
  });

  test('git connects to the checked address, even if the name resolves differently later', async () => {
    const { port, seen } = await serveRepository('127.0.0.1');
    const source = sourceWith(['127.0.0.1'], async () => ['127.0.0.1']);
    expect((await source.refs(`http://no-such-host.example:${port}/repo.git`)).head?.commit).toBe(commit);
    expect(seen[0]?.host).toBe(`no-such-host.example:${port}`);
  });

  test.each([
    ['ssh://git@git.example/app.git', 'git.example'],
    ['ssh://git@git.example:2222/app.git', '[git.example]:2222'],
    ['git@git.example:app.git', 'git.example'],
  ])('ssh connects to the checked address and stores the host key in our directory: %s', async (address, alias) => {
    const programs = join(directory, 'bin');
    await mkdir(programs, { recursive: true });
    await writeFile(
      join(programs, 'ssh'),
      `#!/bin/sh\nprintf '%s\\n' "$@" "$TENANTRY_KNOWN_HOSTS" >'${directory}/arguments'\nexit 1\n`,
    );
    await chmod(join(programs, 'ssh'), 0o755);
    const environment = { ...process.env, PATH: `${programs}:${process.env.PATH}` };
    const source = sourceWith(['git.example'], async () => ['10.1.2.3', '127.0.0.1'], environment);
    await failureOf(source.refs(address));
    const given = (await readFile(join(directory, 'arguments'), 'utf8')).split('\n');
    expect(given).toEqual(expect.arrayContaining(['HostName=10.1.2.3', `HostKeyAlias=${alias}`]));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: ssh reads this one from its environment
    expect(given).toContain('UserKnownHostsFile=${TENANTRY_KNOWN_HOSTS}');
    expect(given).toContain(join(directory, 'sources', 'known_hosts'));
  });

  test('rejects a name that does not resolve, unless the operator listed it', async () => {
    const lookup = () => Promise.reject(new Error('ENOTFOUND'));
    const target = { host: 'work', port: 22 };
    await expect(createHostRule({ allowed: [], lookup }).addressesOf(target)).rejects.toThrow('does not resolve');
    expect(await createHostRule({ allowed: ['work'], lookup }).addressesOf(target)).toEqual([]);
  });

  test.each([
    ['git.example', 443, [], undefined],
    ['140.82.121.4', 443, [], undefined],
    ['10.0.0.5', 443, [], 'private'],
    ['10.0.0.5', 443, ['10.0.0.5'], undefined],
    ['10.0.0.5', 443, ['10.0.0.5:3000'], 'private'],
    ['127.0.0.1', 3000, ['localhost:3000'], undefined],
    ['169.254.169.254', 80, ['*.example.org'], 'metadata'],
    ['::1', 80, ['[::1]'], undefined],
    ['localhost', 80, [], 'local'],
    ['git.internal', 22, ['*.internal'], undefined],
    ['internal', 22, ['*.internal'], 'local'],
    ['git.internal.', 22, ['git.internal'], undefined],
  ])('%s at port %d with GIT_HOSTS=%j: %s', (host, port, allowed, kind) => {
    const problem = createHostRule({ allowed }).problemOf({ host, port });
    if (kind === undefined) expect(problem).toBeUndefined();
    else expect(problem).toContain(`${host} is ${kind}. Use a public host, or allow this one with GIT_HOSTS`);
  });

  test.each([
    ['https://Git.Example/a', 'git.example', 443],
    ['http://user:p@ss@git.example:8080/a', 'git.example', 8080],
    ['ssh://git@[2606:4700::1]:2222/a', '2606:4700::1', 2222],
    ['ssh://2130706433/a', '127.0.0.1', 22],
    ['git@0x7f.1:a', '127.0.0.1', 22],
  ])('resolves %s to %s at port %d', (address, host, port) => expect(gitTarget(address)).toEqual({ host, port }));

  test('an address without a plain host name has no host, nor does a path', () => {
    for (const address of ['ssh://%2doProxyCommand=x/a', 'ssh://a$b/a', 'git@a"b:c'])
      expect(gitTarget(address)).toBeNull();
    expect(gitTarget('/srv/app.git')).toBeUndefined();
  });

  test.each([
    'a b',
    '',
    ':22',
    '*',
    'a.*.b',
    'https://git.example',
    '10.0.0.0/8',
    'git.example:0',
    'git.example:99999',
  ])('rejects %j as an entry of GIT_HOSTS', (text) => expect(parseGitHost(text)).toBeUndefined());
});
