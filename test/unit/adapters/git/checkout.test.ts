import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createSelfSigned } from '../../../../src/adapters/certificates/self-signed.ts';
import { parseRepositoryAddress } from '../../../../src/adapters/git/address.ts';
import { createHostRule } from '../../../../src/adapters/git/host-rule.ts';
import { createGitSource } from '../../../../src/adapters/git/source.ts';
import { repositoryOf } from '../../../../src/adapters/git/submodules.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { commitFiles, git } from '../../../harness/data/fixture-repository.ts';
import { siteWork } from '../../../harness/proxy/sites.ts';
import { GitServer } from '../../../harness/servers/git-server.ts';

const account = { username: 'robot', password: 's3cr3t-t0ken' };
const basic = `Basic ${Buffer.from('robot:s3cr3t-t0ken').toString('base64')}`;
let directory: string;
/** The repository's own host, which asks for credentials, and another one, which asks for none. */
let own: GitServer;
let other: GitServer;
let made = 0;
const open: { close(): unknown }[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-checkout-'));
  own = await GitServer.start(join(directory, 'own'), { account });
  other = await GitServer.start(join(directory, 'other'), { host: '127.0.0.2' });
});
afterEach(() => {
  for (const server of [own, other]) {
    server.requests.length = 0;
    server.fault = undefined;
    server.protocol2 = true;
  }
  for (const server of open.splice(0)) server.close();
});
afterAll(async () => {
  await own.close();
  await other.close();
  await rm(directory, { recursive: true, force: true });
});

interface Options {
  allowLocal?: boolean;
  allowed?: string[];
  environment?: Record<string, string | undefined>;
  keepFreeBytes?: number;
  signal?: AbortSignal;
  lookup?: (host: string) => Promise<string[]>;
}

/** A new name of a repository on each of the two hosts. */
const named = (name: string): string => {
  made += 1;
  return `${name}-${made}`;
};

const sourceIn = (sources: string, options: Options = {}) =>
  createGitSource({
    directory: sources,
    instance: 'test',
    secretKey: 'test',
    host: options.environment ?? process.env,
    hosts: createHostRule({
      allowed: options.allowed ?? ['127.0.0.1', '127.0.0.2'],
      ...(options.lookup ? { lookup: options.lookup } : {}),
    }),
    allowLocal: options.allowLocal ?? false,
    logger: { warn: () => undefined },
  });

/** Checks out `main` with a source of its own. Returns the folder, and what was logged. */
async function checkOut(address: string, options: Options = {}): Promise<{ folder: string; log: string[] }> {
  const sources = join(directory, named('sources'));
  const source = sourceIn(sources, options);
  const log: string[] = [];
  const work = {
    signal: options.signal ?? new AbortController().signal,
    log: (line: string) => void log.push(line),
    ...(options.keepFreeBytes === undefined ? {} : { keepFreeBytes: options.keepFreeBytes }),
  };
  try {
    return { folder: (await source.checkOut(address, 'refs/heads/main', work)).directory, log };
  } catch (error) {
    expect(await readdir(join(sources, 'checkouts'))).toEqual([]);
    throw error;
  }
}

async function failureOf(address: string, options: Options = {}): Promise<{ code: string; message: string }> {
  const error = await checkOut(address, options).then(
    () => Promise.reject(new Error('It did not fail')),
    (thrown) => thrown,
  );
  expect(error.message).not.toMatch(/s3cr3t/);
  return error;
}

/** All files with their modes and contents, without git's own. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => !/(^|\/)\.git(\/|$)/.test(name)).sort();
  const found: Record<string, string> = {};
  for (const name of names) {
    const path = join(folder, name);
    const entry = await lstat(path);
    const content = entry.isSymbolicLink() ? await readlink(path) : entry.isFile() ? await readFile(path, 'hex') : '';
    found[name] = `${(entry.mode & 0o100777).toString(8)} ${content}`;
  }
  return found;
}

const modules = (entries: Record<string, string>): string =>
  Object.entries(entries)
    .map(([path, url]) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`)
    .join('');

async function serve(host: string, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, host);
  open.push(server);
  await new Promise((resolve) => server.once('listening', resolve));
  return `http://${host}:${(server.address() as AddressInfo).port}`;
}

describe('attributes', () => {
  test('give the files of a plain clone, whatever the host’s own configuration says', async () => {
    const path = join(directory, 'own', named('attributes'));
    const rules = [
      '*.bat text eol=crlf',
      'id.txt ident',
      'version.txt export-subst',
      'secret.txt export-ignore',
      'wide.txt text working-tree-encoding=UTF-16LE-BOM',
      'vault/* filter=foo',
    ];
    await commitFiles(path, {
      '!first.bat': 'before the attributes\n',
      '.gitattributes': `${rules.join('\n')}\n`,
      'run.bat': 'echo\n',
      'id.txt': '$Id$\n',
      'version.txt': '$Format:%H$\n',
      'secret.txt': 'kept\n',
      'wide.txt': Buffer.from('\ufeffwide\n', 'utf16le'),
      'vault/key': 'sealed\n',
      'plain.txt': 'line\n',
      'deep/.gitattributes': '*.txt text eol=crlf\n',
      'deep/a.txt': 'line\n',
    });
    await chmod(join(path, 'run.bat'), 0o755);
    await symlink('run.bat', join(path, 'link'));
    await commitFiles(path, {});
    const home = join(directory, named('home'));
    await mkdir(join(home, '.config', 'git'), { recursive: true });
    await writeFile(join(home, '.config', 'git', 'attributes'), '* text eol=crlf\n');
    const cloned = join(directory, named('clone'));
    await git(directory, 'clone', '--quiet', path, cloned);

    const environment = { ...process.env, HOME: home };
    const { folder, log } = await checkOut(path, { environment });
    const contents = await contentsOf(folder);
    expect(contents).toEqual(await contentsOf(cloned));
    // The clone shows what it is about.
    expect(await readFile(join(folder, '!first.bat'), 'utf8')).toBe('before the attributes\r\n');
    expect(await readFile(join(folder, 'id.txt'), 'utf8')).toMatch(/^\$Id: [0-9a-f]{40} \$\n$/);
    expect(await readFile(join(folder, 'wide.txt'), 'utf16le')).toBe('\ufeffwide\n');
    expect(log).toEqual([expect.stringContaining('not run: vault/key (1 in all)')]);
  });

  test('run no filter, not even one that the repository brings along as configuration', async () => {
    const path = join(directory, 'own', named('filters'));
    const proof = join(directory, named('proof'));
    const driver = `[filter "foo"]\n\tsmudge = touch ${proof}\n\trequired = true\n`;
    await commitFiles(path, { '.gitattributes': '* filter=foo\n', '.gitconfig': driver, config: driver, a: 'a\n' });
    const { folder } = await checkOut(path);
    expect(await readFile(join(folder, 'a'), 'utf8')).toBe('a\n');
    await expect(lstat(proof)).rejects.toThrow('ENOENT');
  });
});

describe('submodules', () => {
  test('are checked out at their pinned commits, nested ones and relative addresses too', async () => {
    const [app, lib, deep] = [named('app'), named('lib'), named('deep')];
    const pinned = await commitFiles(join(directory, 'own', deep), { 'deep.txt': 'pinned\n' });
    await commitFiles(join(directory, 'own', deep), { 'deep.txt': 'later\n' });
    const library = await commitFiles(
      join(directory, 'own', lib),
      { 'lib.txt': 'line\n', '.gitattributes': '*.txt eol=crlf\n', '.gitmodules': modules({ deep: `../${deep}` }) },
      { deep: pinned },
    );
    await commitFiles(
      join(directory, 'own', app),
      { 'app.txt': 'line\n', '.gitmodules': modules({ 'vendor/lib': `./../${lib}` }) },
      { 'vendor/lib': library },
    );
    const { folder, log } = await checkOut(`${own.signedIn}/${app}`);
    const cloned = join(directory, named('clone'));
    await git(directory, 'clone', '--quiet', '--recurse-submodules', `${own.signedIn}/${app}`, cloned);
    expect(await contentsOf(folder)).toEqual(await contentsOf(cloned));
    expect(await readFile(join(folder, 'vendor/lib/deep/deep.txt'), 'utf8')).toBe('pinned\n');
    expect(await readFile(join(folder, 'vendor/lib/lib.txt'), 'utf8')).toBe('line\r\n');
    expect(log).toEqual([
      `Submodule vendor/lib: commit ${library} of ${own.origin}/${lib}`,
      `Submodule vendor/lib/deep: commit ${pinned} of ${own.origin}/${deep}`,
    ]);
  });

  test('of another host get no credentials, neither the repository’s nor those of the manager’s user', async () => {
    const [app, lib] = [named('app'), named('lib')];
    const commit = await commitFiles(join(directory, 'other', lib), { 'lib.txt': 'open\n' });
    const entry = modules({ lib: `${other.origin}/${lib}` });
    await commitFiles(join(directory, 'own', app), { '.gitmodules': entry }, { lib: commit });
    const home = join(directory, named('home'));
    await mkdir(home);
    await writeFile(join(home, '.netrc'), 'machine 127.0.0.2 login ada password s3cr3t-of-netrc\n');
    const environment = { ...process.env, HOME: home };
    const { folder } = await checkOut(`${own.signedIn}/${app}`, { environment });
    expect(await readFile(join(folder, 'lib/lib.txt'), 'utf8')).toBe('open\n');
    expect(new Set(other.requests.map(({ authorization }) => authorization))).toEqual(new Set([undefined]));

    // A server that asks for them gets none either.
    other.fault = (_request, response) =>
      response.writeHead(401, { 'www-authenticate': 'Basic realm="give me"' }).end();
    const { message } = await failureOf(`${own.signedIn}/${app}`, { environment });
    expect(message).toMatch(
      /^The submodule lib \(commit [0-9a-f]{12}\) cannot be fetched from .*: The repository refuses/,
    );
    expect(message).toContain('set update = none for it in .gitmodules');
    expect(new Set(other.requests.map(({ authorization }) => authorization))).toEqual(new Set([undefined]));
  });

  test('are fetched from a server that serves no commit by its id', async () => {
    const [app, lib] = [named('app'), named('lib')];
    const commit = await commitFiles(join(directory, 'other', lib), { 'lib.txt': 'pinned\n' });
    await commitFiles(join(directory, 'other', lib), { 'lib.txt': 'later\n' });
    const entry = modules({ lib: `${other.origin}/${lib}` });
    await commitFiles(join(directory, 'own', app), { '.gitmodules': entry }, { lib: commit });
    other.protocol2 = false;
    const { folder } = await checkOut(`${own.signedIn}/${app}`);
    expect(await readFile(join(folder, 'lib/lib.txt'), 'utf8')).toBe('pinned\n');
  });

  test('whose commit was not pushed are named, whatever the protocol', async () => {
    const [app, lib] = [named('app'), named('lib')];
    await commitFiles(join(directory, 'other', lib), { 'lib.txt': 'pushed\n' });
    const entry = modules({ lib: `${other.origin}/${lib}` });
    await commitFiles(join(directory, 'own', app), { '.gitmodules': entry }, { lib: 'b'.repeat(40) });
    for (const protocol2 of [true, false]) {
      other.protocol2 = protocol2;
      expect((await failureOf(`${own.signedIn}/${app}`)).message).toBe(
        `The submodule lib (commit ${'b'.repeat(12)}) cannot be fetched from ${other.origin}/${lib}: ` +
          'That repository does not have it. To deploy without it, set update = none for it in .gitmodules',
      );
    }
  });

  test('with update = none are left out, as git does', async () => {
    const app = named('app');
    const entry = `${modules({ lib: 'https://127.0.0.9/gone' })}\tupdate = none\n`;
    await commitFiles(join(directory, 'own', app), { '.gitmodules': entry }, { lib: 'a'.repeat(40) });
    const { folder, log } = await checkOut(`${own.signedIn}/${app}`);
    expect(await readdir(join(folder, 'lib'))).toEqual([]);
    expect(log).toEqual([expect.stringContaining('Submodule lib is left out')]);
  });

  test.each([
    ['ext::sh -c "touch /tmp/pwned"', 'must not contain white space'],
    ['ext::touch', 'must not contain "::"'],
    ['--upload-pack=touch', 'must not start with a hyphen'],
    ['file:///srv/lib.git', 'which the operator has not allowed'],
    ['/srv/lib.git', 'which the operator has not allowed'],
    ['http://127.0.0.9/lib.git', '127.0.0.9 is loopback'],
    ['http://10.1.2.3/lib.git', '10.1.2.3 is private'],
    ['http://169.254.169.254/latest', '169.254.169.254 is metadata'],
    ['http://2130706433:1/lib.git', '127.0.0.1 is loopback'],
    ['git://git.example/lib.git', 'must be https://'],
    ['ssh://git@git.example/lib.git', 'must be an https address: ssh keys'],
    ['git@git.example:lib.git', 'must be an https address: ssh keys'],
    ['../../../../lib.git', 'leads out of the repository’s host'],
    ['http://ada:s3cr3t@127.0.0.9/lib.git', '127.0.0.9 is loopback'],
    ['http://ada:s3cr3t/x@127.0.0.9/lib.git', 'must contain a host'],
  ])('at %s are refused: %s', async (url, problem) => {
    const app = named('app');
    const entry = modules({ 'vendor/lib': JSON.stringify(url) });
    await commitFiles(join(directory, 'own', app), { '.gitmodules': entry }, { 'vendor/lib': 'a'.repeat(40) });
    // The port of the server alone is allowed.
    const { code, message } = await failureOf(`${own.signedIn}/${app}`, {
      allowLocal: true,
      allowed: [own.origin.slice(7)],
    });
    expect([code, message.slice(0, 11)]).toEqual(['git_error', 'The address']);
    expect(message).toContain('of the submodule vendor/lib');
    expect(message).toContain(problem);
  });

  test('of a local repository may be local where the operator allows that', async () => {
    const [app, lib] = [join(directory, named('app')), join(directory, named('lib'))];
    const commit = await commitFiles(lib, { 'lib.txt': 'local\n' });
    await commitFiles(app, { '.gitmodules': modules({ lib }) }, { lib: commit });
    const { folder } = await checkOut(app, { allowLocal: true });
    expect(await readFile(join(folder, 'lib/lib.txt'), 'utf8')).toBe('local\n');
    expect((await failureOf(app)).message).toContain('which the operator has not allowed');
  });

  test.each([
    ['without an entry', ''],
    ['whose entry names a path outside', modules({ '../lib': 'https://git.example/lib' })],
    ['whose entry names an option', modules({ '-x': 'https://git.example/lib' })],
    ['whose entry has no address', '[submodule "lib"]\n\tpath = lib\n'],
    ['whose file includes another one', '[include]\n\tpath = INCLUDED\n'],
  ])('%s are named', async (_case, entry) => {
    const app = named('app');
    const included = join(directory, named('included'));
    await writeFile(included, modules({ lib: `${other.origin}/lib` }));
    const files = { '.gitmodules': entry.replace('INCLUDED', included) };
    await commitFiles(join(directory, 'own', app), files, { lib: 'a'.repeat(40) });
    const { message } = await failureOf(`${own.signedIn}/${app}`);
    expect(message).toContain('The submodule lib has no address in .gitmodules');
  });

  test('a .gitmodules that git cannot read is named', async () => {
    const app = named('app');
    await commitFiles(join(directory, 'own', app), { '.gitmodules': '[submodule "lib\n' }, { lib: 'a'.repeat(40) });
    expect((await failureOf(`${own.signedIn}/${app}`)).message).toContain(
      '.gitmodules of the repository cannot be read',
    );
  });

  test('that contain themselves end at a depth', async () => {
    const app = named('app');
    const path = join(directory, 'own', app);
    let commit = await commitFiles(path, { 'a.txt': 'a\n' });
    for (let depth = 0; depth < 7; depth += 1)
      commit = await commitFiles(path, { '.gitmodules': modules({ again: `../${app}` }) }, { again: commit });
    const { message } = await failureOf(`${own.signedIn}/${app}`);
    expect(message).toContain(`The submodule ${Array(6).fill('again').join('/')} is one too many`);
  });
});

describe('the address of a submodule', () => {
  const https = 'https://robot:s3cr3t@git.example/team/app.git';
  test.each([
    [https, '../lib.git', 'https://git.example/team/lib.git', true],
    [https, './../lib', 'https://git.example/team/lib', true],
    [https, 'https://GIT.example/x/lib', 'https://git.example/x/lib', true],
    [https, 'git@git.example:x/lib.git', 'https://git.example/x/lib.git', true],
    [https, 'ssh://git@git.example/x/lib.git', 'https://git.example/x/lib.git', true],
    [https, 'https://git.example:8443/x/lib', 'https://git.example:8443/x/lib', false],
    [https, 'http://git.example/x/lib', 'http://git.example/x/lib', false],
    [https, 'https://git.example.org/x/lib', 'https://git.example.org/x/lib', false],
    ['git@git.example:team/app.git', '../lib.git', 'git@git.example:team/lib.git', null],
    ['git@git.example:team/app.git', 'git@git.example:x/lib', 'git@git.example:x/lib', null],
    ['git@git.example:team/app.git', 'https://git.example/x/lib', 'https://git.example/x/lib', null],
  ])('%s, %s is %s', (parent, url, address, isSignedIn) => {
    const rules = { allowLocal: false, hosts: createHostRule({ allowed: [] }) };
    const found = repositoryOf({ path: 'lib', url }, parseRepositoryAddress(parent), rules);
    expect(found.address).toBe(address);
    if (isSignedIn !== null) {
      expect(found.credentials).toEqual(isSignedIn ? { username: 'robot', password: 's3cr3t' } : null);
      expect(found.foreign).toBe(!isSignedIn);
    } else expect(found).toMatchObject({ credentials: null, foreign: address.startsWith('https:') });
  });
});

describe('Git LFS', () => {
  const attributes = '*.bin filter=lfs diff=lfs merge=lfs -text\n';
  const content = Buffer.from([0, 1, 2, 13, 10, 255, ...Buffer.from('content of the file')]);

  /** A repository on the own host with one file of Git LFS. Returns its address with credentials. */
  async function withFile(files: Record<string, string> = {}, pointer = own.keep(content)): Promise<string> {
    const app = named('app');
    await commitFiles(join(directory, 'own', app), { '.gitattributes': attributes, 'data/a.bin': pointer, ...files });
    return `${own.signedIn}/${app}`;
  }
  const seen = (server: GitServer, path: RegExp) =>
    server.requests.filter((request) => path.test(request.path)).map(({ authorization }) => authorization);

  test('files take the place of their pointers, with credentials for the batch API alone', async () => {
    const second = own.keep('another one');
    const address = await withFile({ 'data/same.bin': own.keep(content), 'b.bin': second, 'text.txt': second });
    await chmod(join(directory, 'own', new URL(address).pathname, 'b.bin'), 0o755);
    await commitFiles(join(directory, 'own', new URL(address).pathname), {});
    const { folder, log } = await checkOut(address);
    for (const name of ['data/a.bin', 'data/same.bin']) expect(await readFile(join(folder, name))).toEqual(content);
    expect(await readFile(join(folder, 'b.bin'), 'utf8')).toBe('another one');
    expect((await lstat(join(folder, 'b.bin'))).mode & 0o777).toBe(0o755);
    // Only the attribute makes a pointer.
    expect(await readFile(join(folder, 'text.txt'), 'utf8')).toBe(second);
    expect(seen(own, /objects\/batch$/)).toEqual([basic]);
    expect(seen(own, /^\/objects\//)).toEqual(Array(2).fill('RemoteAuth token-of-the-object'));
    expect(log).toEqual([expect.stringMatching(/^Git LFS: 3 files of \d+ bytes in all, from http:\/\/127\.0\.0\.1:/)]);
  });

  test('only the commit’s attributes count, wherever the manager runs', async () => {
    const elsewhere = join(directory, named('working-directory'));
    await mkdir(elsewhere);
    await writeFile(join(elsewhere, '.gitattributes'), '*.bin -filter\n*.txt filter=lfs\n');
    const before = process.cwd();
    try {
      process.chdir(elsewhere);
      const { folder } = await checkOut(await withFile({ 'text.txt': own.keep('not fetched') }));
      expect(await readFile(join(folder, 'data/a.bin'))).toEqual(content);
      expect(await readFile(join(folder, 'text.txt'), 'utf8')).toMatch(/^version /);
    } finally {
      process.chdir(before);
    }
  });

  test('files of a submodule come from its own server', async () => {
    const [app, lib] = [named('app'), named('lib')];
    const files = { '.gitattributes': attributes, 'a.bin': other.keep('of the library') };
    const commit = await commitFiles(join(directory, 'other', lib), files);
    const entry = modules({ lib: `${other.origin}/${lib}` });
    await commitFiles(join(directory, 'own', app), { '.gitmodules': entry }, { lib: commit });
    const { folder } = await checkOut(`${own.signedIn}/${app}`);
    expect(await readFile(join(folder, 'lib/a.bin'), 'utf8')).toBe('of the library');
    expect(seen(other, /objects\/batch$/)).toEqual([undefined]);
  });

  // What git-lfs 3.3 does with the same repository.
  test.each([
    ['fetchexclude = *', 'a.bin media/a.bin media/sub/a.bin media/sub/c.dat other/media/x.bin'],
    ['fetchexclude = *.dat, /a.bin', 'a.bin media/sub/c.dat'],
    ['fetchexclude = a.bin', 'a.bin media/a.bin media/sub/a.bin'],
    ['fetchexclude = media/', 'media/a.bin media/sub/a.bin media/sub/c.dat other/media/x.bin'],
    ['fetchexclude = media/sub', 'media/sub/a.bin media/sub/c.dat'],
    ['fetchexclude = m?dia/*.bin', 'media/a.bin'],
    ['fetchinclude = *.bin\n\tfetchexclude = media/sub/*', 'media/sub/a.bin media/sub/c.dat'],
    ['fetchinclude = sub/*', 'a.bin media/a.bin media/sub/a.bin media/sub/c.dat other/media/x.bin'],
  ])('files that .lfsconfig leaves out stay pointers: %s', async (config, expected) => {
    const app = named('app');
    const names = ['a.bin', 'media/a.bin', 'media/sub/a.bin', 'media/sub/c.dat', 'other/media/x.bin'];
    const pointers = Object.fromEntries(names.map((name) => [name, own.keep(name)]));
    const files = { '.gitattributes': `${attributes}*.dat filter=lfs -text\n`, '.lfsconfig': `[lfs]\n\t${config}\n` };
    await commitFiles(join(directory, 'own', app), { ...files, ...pointers });
    const { folder } = await checkOut(`${own.signedIn}/${app}`);
    const contents = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    expect(names.filter((name, index) => contents[index] === pointers[name]).join(' ')).toBe(expected);
    expect(contents.filter((text, index) => text === names[index])).toHaveLength(5 - expected.split(' ').length);
  });

  test('the address of .lfsconfig gets credentials on the repository’s own host only', async () => {
    other.keep(content);
    const lfs = (url: string) => ({ '.lfsconfig': `[lfs]\n\turl = ${url}\n` });
    const { folder } = await checkOut(await withFile(lfs(`${other.origin}/elsewhere/info/lfs`)));
    expect(await readFile(join(folder, 'data/a.bin'))).toEqual(content);
    expect(seen(other, /./)).toEqual([undefined, 'RemoteAuth token-of-the-object']);
    await checkOut(await withFile(lfs(`${own.origin}/here/info/lfs`)));
    expect(seen(own, /^\/here/)).toEqual([basic]);
  });

  test('a redirect gets neither credentials nor an object’s token', async () => {
    other.keep(content);
    const address = await withFile();
    own.fault = ({ url = '' }, response) =>
      url.endsWith('/objects/batch') && response.writeHead(307, { location: `${other.origin}${url}` }).end();
    await checkOut(address);
    expect(seen(own, /objects\/batch$/)).toEqual([basic]);
    expect(seen(other, /objects\/batch$/)).toEqual([undefined]);

    const tokens: (string | undefined)[] = [];
    const store = await serve('127.0.0.2', ({ headers }, response) => {
      tokens.push(headers.authorization);
      response.end(content);
    });
    own.fault = ({ url = '' }, response) =>
      url.startsWith('/objects/') && response.writeHead(302, { location: store }).end();
    await checkOut(address);
    expect(tokens).toEqual([undefined]);
    expect((await failureOf(address, { allowed: ['127.0.0.1'] })).message).toContain(
      '127.0.0.2 of the repository is not public',
    );
    expect(tokens).toHaveLength(1);
  });

  /** A batch API that answers with this download. */
  const answering = (download: (oid: string) => object) => {
    own.fault = (request, response) => {
      if (!request.url?.endsWith('/objects/batch')) return false;
      request
        .setEncoding('utf8')
        .toArray()
        .then((body) => {
          const objects = JSON.parse(body.join('')).objects.map(({ oid }: { oid: string }) => ({
            oid,
            actions: { download: download(oid) },
          }));
          response.end(JSON.stringify({ objects }));
        });
    };
  };

  test('without a token of its own, a download of the own host gets the credentials, and one elsewhere none', async () => {
    const got: (string | undefined)[] = [];
    const address = await withFile();
    const store = await serve('127.0.0.2', ({ headers }, response) => {
      got.push(headers.authorization, headers.host);
      response.end(content);
    });
    answering(() => ({ href: `${store}/x`, header: { Host: 'metadata.internal', Connection: 'upgrade' } }));
    await checkOut(address);
    expect(got).toEqual([undefined, store.slice(7)]);
    answering((oid) => ({ href: `${own.origin}/objects/${oid}` }));
    expect((await failureOf(address)).message).toContain('refuses access');
    expect(seen(own, /^\/objects\//)).toEqual([basic]);
  });

  test.each([
    [
      'href of a forbidden address',
      () => ({ href: 'http://169.254.169.254/latest/meta-data' }),
      '169.254.169.254 of the repository is not public',
    ],
    ['href that is no web address', () => ({ href: 'file:///etc/passwd' }), 'names something that is no web address'],
    [
      'href with credentials',
      () => ({ href: 'http://ada:s3cr3t@127.0.0.1/x' }),
      'names something that is no web address',
    ],
    ['href that is closed', () => ({ href: 'http://127.0.0.1:1/x' }), 'refused the connection'],
  ])('a download with an %s fails and names the file', async (_case, download, reason) => {
    const address = await withFile();
    answering(download);
    const { code, message } = await failureOf(address);
    expect(code).toBe('git_error');
    expect(message).toMatch(/^data\/a\.bin cannot be fetched by Git LFS: /);
    expect(message).toContain(reason);
    expect(message).toContain('Name the LFS server as lfs.url in .lfsconfig');
  });

  test('a content that is not the one of its pointer never reaches the checkout', async () => {
    const address = await withFile();
    for (const [wrong, reason] of [
      [Buffer.alloc(content.length), 'not the one of its pointer'],
      [content.subarray(1), 'not the one of its pointer'],
      [Buffer.concat([content, content]), 'larger than its pointer says'],
    ] as const) {
      own.fault = ({ url = '' }, response) => url.startsWith('/objects/') && response.end(wrong);
      expect((await failureOf(address)).message).toContain(reason);
    }
  });

  test('a server’s certificate is checked against the authorities that git trusts, and https never leads to http', async () => {
    const name = 'lfs.example';
    const [made] = await createSelfSigned({ clock: systemClock }).obtain([name], siteWork());
    const authorities = join(directory, named('authorities.pem'));
    await writeFile(authorities, made?.chain ?? '');
    let scheme = 'https';
    const server = createSecureServer({ key: made?.privateKey, cert: made?.chain }, (request, response) => {
      if (request.method === 'GET') return void response.end(content);
      request.resume();
      const oid = createHash('sha256').update(content).digest('hex');
      const download = { href: `${scheme}://${request.headers.host}/x` };
      response.end(JSON.stringify({ objects: [{ oid, actions: { download } }] }));
    }).listen(0, '127.0.0.2');
    open.push(server);
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `https://${name}:${(server.address() as AddressInfo).port}/app`;
    const address = await withFile({ '.lfsconfig': `[lfs]\n\turl = ${url}\n` });
    const lookup = async () => ['127.0.0.2'];
    expect((await failureOf(address, { lookup })).message).toContain(
      'TLS failed with lfs.example: its certificate is self-signed',
    );
    const environment = { ...process.env, GIT_SSL_CAINFO: authorities };
    const { folder } = await checkOut(address, { lookup, environment });
    expect(await readFile(join(folder, 'data/a.bin'))).toEqual(content);
    scheme = 'http';
    expect((await failureOf(address, { lookup, environment })).message).toContain('leads from https to http');
  });

  test('a download that breaks off is repeated, and one that hangs ends with the deployment', async () => {
    const address = await withFile();
    let breaks = 1;
    const stopping = new AbortController();
    own.fault = ({ url = '' }, response) => {
      if (!url.startsWith('/objects/') || breaks === 0) return false;
      breaks -= 1;
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(1), () => response.destroy());
    };
    expect(await readFile(join((await checkOut(address)).folder, 'data/a.bin'))).toEqual(content);
    own.fault = ({ url = '' }) => url.startsWith('/objects/') && stopping.abort(new Error('cancelled'));
    expect((await failureOf(address, { signal: stopping.signal })).message).toBe('cancelled');
  });

  test('versions are listed while a checkout waits for a slow server', async () => {
    const address = await withFile();
    const source = sourceIn(join(directory, named('sources')));
    const asked = Promise.withResolvers<void>();
    const stopping = new AbortController();
    own.fault = ({ url = '' }) => {
      if (!url.startsWith('/objects/')) return false;
      asked.resolve();
    };
    const checkout = source.checkOut(address, 'refs/heads/main', { signal: stopping.signal });
    await asked.promise;
    const refs = await source.refs(address);
    expect((await source.commits(address, refs)).get(refs.head?.commit ?? '')?.author).toBe('Ada');
    // Its mirror is in use.
    expect(await source.removeMirrorsExcept([])).toEqual([]);
    stopping.abort(new Error('cancelled'));
    await expect(checkout).rejects.toThrow('cancelled');
    expect(await source.removeMirrorsExcept([])).toHaveLength(1);
  });

  test('a size that the disk has no room for is refused before anything is fetched', async () => {
    const huge = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 900000000000000\n`;
    const address = await withFile({}, huge);
    expect(await failureOf(address)).toMatchObject({
      code: 'insufficient_storage',
      message: expect.stringContaining('data/a.bin (Git LFS)'),
    });
    expect(await failureOf(await withFile(), { keepFreeBytes: 1e15 })).toMatchObject({ code: 'insufficient_storage' });
    expect(seen(own, /objects\/batch$/)).toEqual([]);
  });

  test('files without content on the server are named, the first three and their number', async () => {
    const gone = (name: string) =>
      `version https://git-lfs.github.com/spec/v1\noid sha256:${name.repeat(64)}\nsize 12\n`;
    const one = await failureOf(await withFile({}, gone('a')));
    expect(one.message).toMatch(
      /^data\/a\.bin cannot be fetched by Git LFS: 127\.0\.0\.1:\d+ does not have the content\./,
    );
    const files = Object.fromEntries(['b', 'c', 'd', 'e'].map((name) => [`${name}.bin`, gone(name)]));
    own.fault = ({ url = '' }, response) => url.endsWith('/objects/batch') && response.writeHead(404).end();
    const many = await failureOf(await withFile(files, gone('a')));
    expect(many.message).toMatch(
      /^b\.bin, c\.bin, d\.bin and 2 more cannot be fetched by Git LFS: .* answers with status 404\./,
    );
  });

  test.each([
    ['version https://git-lfs.github.com/spec/v1\noid md5:abc\nsize 1\n'],
    [
      `version https://git-lfs.github.com/spec/v1\next-0-x sha256:${'a'.repeat(64)}\noid sha256:${'b'.repeat(64)}\nsize 1\n`,
    ],
  ])('a pointer that cannot be followed fails and names the file', async (pointer) => {
    expect((await failureOf(await withFile({}, pointer))).message).toContain(
      'data/a.bin cannot be fetched by Git LFS: its pointer is not valid',
    );
  });

  test.each([
    ['http://127.0.0.9/lfs', '127.0.0.9 is loopback'],
    ['ssh://git@git.example/lfs', 'must be an https address'],
    ['file:///srv/lfs', 'must be an https address'],
  ])('.lfsconfig must not lead to %s', async (url, reason) => {
    const { message } = await failureOf(await withFile({ '.lfsconfig': `[lfs]\n\turl = ${url}\n` }));
    expect(message).toContain('data/a.bin cannot be fetched by Git LFS: lfs.url');
    expect(message).toContain(reason);
  });

  test('files of a local repository come from its own store', async () => {
    const path = join(directory, named('local'));
    const pointer = own.keep(content);
    const oid = /sha256:(\w+)/.exec(pointer)?.[1] ?? '';
    await commitFiles(path, { '.gitattributes': attributes, 'a.bin': pointer });
    expect((await failureOf(path)).message).toContain(
      'a.bin cannot be fetched by Git LFS: the repository does not have',
    );
    const store = join(path, '.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4));
    await mkdir(store, { recursive: true });
    await writeFile(join(store, oid), content);
    expect(await readFile(join((await checkOut(path)).folder, 'a.bin'))).toEqual(content);
    await writeFile(join(store, oid), 'damaged');
    expect((await failureOf(path)).message).toContain('not the one of its pointer');
  });
});
