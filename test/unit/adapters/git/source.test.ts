import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeContactsRepository } from '../../../../examples/contacts/make-repository.ts';
import { isLocalAddress, parseRepositoryAddress } from '../../../../src/adapters/git/address.ts';
import { createHostRule } from '../../../../src/adapters/git/host-rule.ts';
import { createGitSource, type Source } from '../../../../src/adapters/git/source.ts';
import { latestRelease, parseRemoteRefs } from '../../../../src/adapters/git/versions.ts';

const hosts = createHostRule({ allowed: ['127.0.0.1'] });
/** Logged messages. */
const logged: object[] = [];
const logger = { warn: (line: object) => void logged.push(line) };
let directory: string;
let repository: Awaited<ReturnType<typeof makeContactsRepository>>;
let source: Source;
const sourceIn = (name: string, instance = 'test'): Source =>
  createGitSource({ directory: join(directory, name), instance, secretKey: 'test', host: process.env, hosts, logger });
const work = () => ({ signal: new AbortController().signal });

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-source-'));
  repository = await makeContactsRepository(join(directory, 'contacts'));
  source = sourceIn('sources');
  await source.open();
});
afterAll(() => rm(directory, { recursive: true, force: true }));

describe('git source', () => {
  test('reports tags and the default branch', async () => {
    const refs = await source.refs(repository.path);
    expect([...refs.tags.keys()]).toEqual(['v1.0.0', 'v1.1.0']);
    expect(refs.tags.get('v1.0.0')).toBe(repository.commits['v1.0.0']);
    expect(refs.head).toEqual({ branch: 'main', commit: repository.commits['v1.1.0'] });
  });

  test('reports all tags of a repository that has thousands', async () => {
    const { path, commits } = await makeContactsRepository(join(directory, 'tagged'));
    const lines = Array.from({ length: 2_000 }, (_, patch) => `create refs/tags/v3.0.${patch} ${commits['v1.0.0']}`);
    const asked = promisify(execFile)('git', ['-C', path, 'update-ref', '--stdin']);
    asked.child.stdin?.end(`${lines.join('\n')}\n`);
    await asked;
    expect((await source.refs(path)).tags.size).toBe(2_002);
  });

  test('checks a tag out once for concurrent callers', async () => {
    const asked = [1, 2, 3, 4].map(() => source.checkOut(repository.path, 'refs/tags/v1.0.0', work()));
    const checkouts = await Promise.all(asked);
    expect(new Set(checkouts.map(({ directory: path }) => path)).size).toBe(1);
    const [checkout] = checkouts;
    expect(checkout?.commit).toBe(repository.commits['v1.0.0']);
    const entries = await readdir(checkout?.directory ?? '');
    expect(entries).toContain('tenant.yaml');
    expect(entries).not.toContain('.git');
    expect(entries).not.toContain('.git-index');
  });

  test('gives a release another key in each manager, as managers may share an engine', async () => {
    const keyOf = async (from: Source) => (await from.checkOut(repository.path, 'refs/tags/v1.0.0', work())).key;
    const keys = [await keyOf(source), await keyOf(sourceIn('second', 'other'))];
    expect(keys).toEqual([expect.stringMatching(/-test$/), expect.stringMatching(/-other$/)]);
  });

  test('checks out a default branch without tags', async () => {
    const checkout = await source.checkOut(repository.path, 'refs/heads/main', work());
    expect(checkout.commit).toBe(repository.commits['v1.1.0']);
  });

  test('knows the commit of a checkout, also after a restart, and not of one that is gone', async () => {
    const checkout = await source.checkOut(repository.path, 'refs/tags/v1.0.0', work());
    const again = sourceIn('sources');
    for (const from of [source, again])
      expect(await from.detailsOf(checkout)).toEqual({
        author: expect.stringMatching(/./),
        date: expect.any(Date),
        subject: expect.stringMatching(/./),
      });
    const earlier = { ...checkout, key: checkout.key.replace(/-test$/, '') };
    expect(await again.detailsOf(earlier)).toMatchObject({ date: expect.any(Date) });
    const gone = { key: `0123456789abcdef-${checkout.commit}`, commit: checkout.commit };
    expect(await source.detailsOf(gone)).toBeUndefined();
  });

  test('shows a commit with an impossible date, alone and in a comparison', async () => {
    const { path, commits } = await makeContactsRepository(join(directory, 'hostile'));
    const git = async (...args: string[]) => (await promisify(execFile)('git', ['-C', path, ...args])).stdout.trim();
    const parent = commits['v1.1.0'] ?? '';
    const tree = await git('rev-parse', `${parent}^{tree}`);
    const who = 'Mallory <m@example.org> 1700000000 +9999';
    const file = join(directory, 'hostile-commit');
    await writeFile(file, `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nHostile\n`);
    const commit = await git('hash-object', '-t', 'commit', '-w', '--literally', file);
    await git('update-ref', 'refs/heads/main', commit);
    const checkout = await source.checkOut(path, 'refs/heads/main', work());
    const shown = { author: 'Mallory', date: new Date(0), subject: 'Hostile' };
    expect(await source.detailsOf(checkout)).toEqual(shown);
    expect((await source.compare(path, { from: parent, to: commit }))?.added.commits).toEqual([
      { id: commit, ...shown },
    ]);
  });

  test('keeps a fetched full history when tips are fetched later', async () => {
    const { path, commits } = await makeContactsRepository(join(directory, 'history'));
    const run = promisify(execFile);
    const git = (...args: string[]) => run('git', ['-C', path, ...args]);
    await git('config', 'uploadpack.allowFilter', 'true');
    const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
    const made = sourceIn('deepened');
    const kept = join(directory, 'deepened', 'mirrors', `${parseRepositoryAddress(path).key}.commits.git`);
    const isShallow = async () =>
      (await run('git', ['-C', kept, 'rev-parse', '--is-shallow-repository'])).stdout.trim();
    await git('tag', '--delete', 'v1.0.0');
    await made.commits(path, await made.refs(path));
    expect(await isShallow()).toBe('true');
    const first = commits['v1.0.0'] ?? '';
    expect(await made.findCommit(path, first.slice(0, 10), await made.refs(path))).toBe(first);
    expect(await isShallow()).toBe('false');
    await git(...identity, 'commit', '--quiet', '--allow-empty', '-m', 'One more');
    const refs = await made.refs(path);
    expect((await made.commits(path, refs)).get(refs.head?.commit ?? '')?.subject).toBe('One more');
    expect(await isShallow()).toBe('false');
  });

  test.each([
    ['heads', 'releases', 'releases/2026'],
    ['heads', 'feature/one', 'feature'],
    ['tags', 'v9', 'v9/a/b'],
    ['tags', 'v8/a', 'v8'],
  ])('follows refs/%s when %s is replaced by %s', async (kind, first, second) => {
    const name = `replaced-${first.replace('/', '-')}`;
    const { path, commits } = await makeContactsRepository(join(directory, name));
    const git = (...args: string[]) => promisify(execFile)('git', ['-C', path, ...args]);
    const [one = '', two = ''] = [commits['v1.0.0'], commits['v1.1.0']];
    const visit = async (ref: string) => {
      await source.commits(path, await source.refs(path));
      return (await source.checkOut(path, `refs/${kind}/${ref}`, work())).commit;
    };
    await git('update-ref', `refs/${kind}/${first}`, one);
    expect(await visit(first)).toBe(one);
    await git('update-ref', '-d', `refs/${kind}/${first}`);
    const { stdout } = await git('commit-tree', '-m', 'new', `${two}^{tree}`);
    await git('update-ref', `refs/${kind}/${second}`, stdout.trim());
    expect(await visit(second)).toBe(stdout.trim());
    // The commit of the removed ref is kept.
    expect((await source.checkOut(path, one, work())).commit).toBe(one);
  });

  test('recovers from files that a killed git left in the mirror', async () => {
    const made = sourceIn('killed');
    const checkout = await made.checkOut(repository.path, 'refs/tags/v1.0.0', work());
    const mirror = join(directory, 'killed', 'mirrors', `${checkout.key.split('-')[0]}.git`);
    for (const name of ['shallow.lock', 'refs/tags/v1.1.0.lock', 'packed-refs.lock', 'config.lock'])
      await writeFile(join(mirror, name), '');
    await rm(join(mirror, 'config'));
    const next = await made.checkOut(repository.path, 'refs/tags/v1.1.0', work());
    expect(next.commit).toBe(repository.commits['v1.1.0']);
  });

  test('fails for an unknown ref, a missing repository and a cancelled fetch, and leaves no partial checkout', async () => {
    await expect(source.checkOut(repository.path, 'refs/tags/v9.9.9', work())).rejects.toMatchObject({
      code: 'git_error',
    });
    const nothing = join(directory, 'nothing');
    // Git's output contains the path: only the log has it.
    await expect(source.refs(nothing)).rejects.toMatchObject({
      code: 'git_error',
      message: expect.stringMatching(/^The repository does not exist, or may not be read with these credentials\./),
      detail: undefined,
    });
    expect(logged.at(-1)).toEqual({ printed: expect.stringContaining(`fatal: '${nothing}' does not appear`) });
    const aborted = { signal: AbortSignal.abort(new Error('stop')) };
    await expect(source.checkOut(repository.path, 'refs/tags/v1.1.0', aborted)).rejects.toThrow('stop');
    const left = await readdir(join(directory, 'sources', 'checkouts'));
    expect(left.filter((name) => name.includes('partial'))).toEqual([]);
  });

  test('clears leftovers of a crash and unneeded checkouts at the start; keeps needed ones', async () => {
    const checkouts = join(directory, 'sources', 'checkouts');
    await writeFile(join(checkouts, 'key-abc.partial-123'), '');
    await source.open();
    const needed = await source.checkOut(repository.path, 'refs/tags/v1.0.0', work());
    await source.removeCheckoutsExcept(async (key) => key === needed.key);
    expect(await readdir(checkouts)).toEqual([needed.key]);
  });

  test('removes mirrors of other repositories and leftovers of a crash, but not one that is being fetched into', async () => {
    const made = sourceIn('mirrored');
    const mirrors = join(directory, 'mirrored', 'mirrors');
    const other = await makeContactsRepository(join(directory, 'other'));
    const keys = [repository.path, other.path].map((path) => parseRepositoryAddress(path).key);
    for (const { path } of [repository, other]) await made.checkOut(path, 'refs/tags/v1.0.0', work());

    const fetching = made.checkOut(other.path, 'refs/tags/v1.1.0', work());
    expect(await made.removeMirrorsExcept([repository.path])).toEqual([]);
    await fetching;
    expect(await made.removeMirrorsExcept([repository.path])).toEqual([keys[1]]);
    expect(await readdir(mirrors)).toEqual([`${keys[0]}.git`]);

    await rename(join(mirrors, `${keys[0]}.git`), join(mirrors, `${keys[0]}.git.partial-123`));
    await made.open();
    expect(await readdir(mirrors)).toEqual([]);
    const again = await made.checkOut(other.path, 'refs/heads/main', work());
    expect(again.commit).toBe(other.commits['v1.1.0']);
  });

  test.each(['--upload-pack=touch /tmp/pwned', 'ext::sh -c touch% /tmp/pwned', '-oProxyCommand=touch'])(
    'treats an address that looks like an option or a helper as inert: %s',
    async (address) => {
      await expect(source.refs(address)).rejects.toMatchObject({ code: 'git_error' });
      await expect(readFile('/tmp/pwned')).rejects.toThrow();
    },
  );
});

describe('credentials', () => {
  let server: Server;
  let seen: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request.headers.authorization ?? '');
      response.writeHead(403).end('no');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  test('are sent to the repository host as a header and appear in no message', async () => {
    seen = [];
    const { port } = server.address() as AddressInfo;
    const failed = source.refs(`http://robot:s3cr3t-t0ken@127.0.0.1:${port}/repo.git`);
    const error = await failed.catch((thrown: Error) => thrown);
    expect(seen).toContain(`Basic ${Buffer.from('robot:s3cr3t-t0ken').toString('base64')}`);
    expect(JSON.stringify(error) + String(error)).not.toContain('s3cr3t');
  });

  test('are removed from the address and do not change its key', () => {
    const plain = parseRepositoryAddress('https://example.org/a.git');
    const secret = parseRepositoryAddress('https://user:p%40ss@example.org/a.git');
    expect(secret).toMatchObject({
      address: 'https://example.org/a.git',
      credentials: { username: 'user', password: 'p@ss' },
      key: plain.key,
    });
    expect(parseRepositoryAddress('HTTPS://user:p%40ss@example.org/a.git')).toEqual(secret);
    expect(isLocalAddress('/srv/repo')).toBe(true);
    expect(isLocalAddress('https://example.org')).toBe(false);
  });
});

describe('versions', () => {
  test('the latest is the highest release, never a pre-release; annotated tags are peeled', () => {
    const commit = (digit: string): string => digit.repeat(40);
    const refs = parseRemoteRefs(
      [
        'ref: refs/heads/trunk\tHEAD',
        `${commit('a')}\tHEAD`,
        ...['v1.9.0', 'v1.10.0', 'v2.0.0-rc.1', 'nightly', 'v1'].map((tag) => `${commit('b')}\trefs/tags/${tag}`),
        `${commit('c')}\trefs/tags/v1.10.0^{}`,
      ].join('\n'),
    );
    expect(latestRelease(refs)).toBe('v1.10.0');
    expect(refs.tags.get('v1.10.0')).toBe(commit('c'));
    expect(refs.head).toEqual({ branch: 'trunk', commit: commit('a') });
  });
});
