import { randomUUID } from 'node:crypto';
import { chmod, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { extract, type Header, pack } from 'tar-stream';
import type { TenantSpace } from '../../../../../src/adapters/runtimes/runtime.ts';
import { createStorageFiles } from '../../../../../src/adapters/runtimes/swarm/files/storage-files.ts';

const isRoot = process.getuid?.() === 0;
const user = { uid: 65_530, gid: 65_530 };
const { signal } = new AbortController();

/** Files of tenants whose units may put any link into their directories. As root, as the manager of a Swarm runs. */
(isRoot || process.env.CI === 'true' ? describe : describe.skip)('files on the shared storage', () => {
  let directory: string;
  let storage: string;
  let files: ReturnType<typeof createStorageFiles>;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-storage-'));
    storage = join(directory, 'storage');
    await mkdir(storage);
    files = createStorageFiles({ storage, importRoot: '/tmp/imports' });
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const tenantOf = (slug: string): TenantSpace => ({ id: randomUUID(), slug, directory: join(directory, slug) });
  async function prepared(slug: string): Promise<TenantSpace> {
    const tenant = tenantOf(slug);
    await files.prepare(tenant, user);
    return tenant;
  }
  function tarOf(entries: ({ name: string } & Partial<Header> & { content?: string })[]): AsyncIterable<Uint8Array> {
    const archive = pack();
    for (const { content, ...header } of entries) archive.entry(header, content ?? '');
    archive.finalize();
    return archive as AsyncIterable<Uint8Array>;
  }
  async function contentOf(tenant: TenantSpace): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    const archive = extract();
    archive.on('entry', (header, stream, next) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk) => chunks.push(chunk as Buffer));
      stream.on('end', () => {
        found[header.name] = header.linkname ? `-> ${header.linkname}` : Buffer.concat(chunks).toString();
        next();
      });
    });
    await pipeline(Readable.from(files.data.read(tenant, { signal })), archive);
    return found;
  }

  test('belong to the image’s user, in a directory that only the manager may enter', async () => {
    const tenant = await prepared('plain');
    await files.data.write(tenant, tarOf([{ name: 'notes.txt', content: 'notes', uid: 0, gid: 0 }]), signal);
    expect((await stat(join(storage, 'plain'))).mode & 0o777).toBe(0o700);
    expect(await stat(join(storage, 'plain', 'data', 'notes.txt'))).toMatchObject(user);
    expect(await files.putImportFile(tenant, 'a.csv', Readable.from([Buffer.from('a')]))).toBe(
      '/tmp/imports/plain/a.csv',
    );
    expect(await stat(join(storage, 'plain', 'imports', 'a.csv'))).toMatchObject(user);
  });

  test('are not read, written or removed through links that lead out', async () => {
    const tenant = await prepared('hostile');
    const outside = join(directory, 'outside');
    await mkdir(outside, { mode: 0o755 });
    await writeFile(join(outside, 'keep.txt'), 'keep');
    const data = join(storage, 'hostile', 'data');
    await symlink(outside, join(data, 'uploads'));
    await symlink(join(outside, 'keep.txt'), join(data, 'tenant.db'));
    await symlink('/etc/shadow', join(data, 'shadow'));
    await symlink(join(outside, 'keep.txt'), join(storage, 'hostile', 'imports', 'list.csv'));

    expect(await contentOf(tenant)).toEqual({
      uploads: `-> ${outside}`,
      'tenant.db': `-> ${join(outside, 'keep.txt')}`,
      shadow: '-> /etc/shadow',
    });
    await files.data
      .write(
        tenant,
        tarOf([
          { name: 'uploads/photo.jpg', content: 'p' },
          { name: 'tenant.db', content: 'd' },
        ]),
        signal,
      )
      .catch(() => undefined);
    await files.putImportFile(tenant, 'list.csv', Readable.from([Buffer.from('list')]));
    await files.removeImportFile(tenant, 'list.csv');
    await files.data.remove(tenant, { except: [] }, signal);
    await files.remove(tenant, { data: true });
    expect(await readdir(outside)).toEqual(['keep.txt']);
    expect(await readFile(join(outside, 'keep.txt'), 'utf8')).toBe('keep');
    await expect(lstat(join(storage, 'hostile'))).rejects.toThrow('ENOENT');
  });

  test('of an archive that leads out stay inside', async () => {
    const tenant = await prepared('archive');
    const outside = join(directory, 'target');
    await mkdir(outside, { mode: 0o777 });
    const entries = [
      { name: 'out', type: 'symlink' as const, linkname: outside },
      { name: 'out/escaped', content: 'x' },
    ];
    await files.data.write(tenant, tarOf(entries), signal).catch(() => undefined);
    await files.data.write(tenant, tarOf([{ name: '../escaped', content: 'x' }]), signal).catch(() => undefined);
    expect(await readdir(outside)).toEqual([]);
    expect((await readdir(join(storage, 'archive'))).sort()).toEqual(['data', 'imports', 'tenant']);
  });

  test('of another tenant can’t be reached by an archive or a link', async () => {
    const victim = await prepared('victim');
    await files.data.write(victim, tarOf([{ name: 'people.csv', content: 'people' }]), signal);
    const attacker = await prepared('attacker');
    await symlink(join(storage, 'victim', 'data'), join(storage, 'attacker', 'data', 'theirs'));
    await files.data
      .write(attacker, tarOf([{ name: 'theirs/people.csv', content: 'changed' }]), signal)
      .catch(() => undefined);
    expect(await contentOf(victim)).toEqual({ 'people.csv': 'people' });
  });

  test('of a removed tenant are kept aside, and a new tenant of its slug does not see them', async () => {
    const first = await prepared('again');
    await files.data.write(first, tarOf([{ name: 'notes.txt', content: 'first' }]), signal);
    await files.remove(first, { data: false });
    const second = tenantOf('again');
    await expect(contentOf(second)).rejects.toMatchObject({ code: 'not_deployed' });
    await files.prepare(second, user);
    expect(await contentOf(second)).toEqual({});
    await files.remove(first, { data: true });
    expect(await readFile(join(storage, '.kept', first.id, 'data', 'notes.txt'), 'utf8')).toBe('first');
    await expect(files.prepare(tenantOf('again'), user)).rejects.toThrow('belongs to another tenant');
  });

  test('in a directory that does not say whose it is are not given to a tenant', async () => {
    await mkdir(join(storage, 'unknown', 'data', 'uploads'), { recursive: true });
    await expect(files.prepare(tenantOf('unknown'), user)).rejects.toThrow('belongs to another tenant');
  });

  test('stay the live unit’s when the next image runs as another user', async () => {
    const tenant = await prepared('other-user');
    await expect(files.prepare(tenant, { uid: 65_531, gid: 65_531 })).rejects.toThrow('keep the USER');
    expect(await stat(join(storage, 'other-user', 'data'))).toMatchObject(user);
    await files.prepare(tenant, user);
  });

  test('in directories that the tenant closed to itself are removed', async () => {
    const tenant = await prepared('closed');
    const entries = [
      { name: 'a', type: 'directory' as const, mode: 0o755 },
      { name: 'a/b', type: 'directory' as const, mode: 0o755 },
      { name: 'a/b/notes.txt', content: 'x' },
    ];
    await files.data.write(tenant, tarOf(entries), signal);
    const outside = join(directory, 'not-closed');
    await mkdir(outside);
    await writeFile(join(outside, 'keep.txt'), 'keep');
    await symlink(outside, join(storage, 'closed', 'data', 'a', 'b', 'out'));
    for (const name of ['a/b', 'a']) await chmod(join(storage, 'closed', 'data', name), 0);
    await files.data.remove(tenant, { only: ['a'] }, signal);
    expect(await readdir(join(storage, 'closed', 'data'))).toEqual([]);
    expect(await readdir(outside)).toEqual(['keep.txt']);
  });

  test('are not on the manager’s own disk when the storage is missing', async () => {
    const missing = join(directory, 'not-mounted');
    const unmounted = createStorageFiles({ storage: missing, importRoot: '/tmp/imports' });
    await expect(unmounted.prepare(tenantOf('lost'), user)).rejects.toThrow('(SWARM_STORAGE) is missing');
    await expect(lstat(missing)).rejects.toThrow('ENOENT');
  });

  test('are refused with advice by a storage that does not let root give files away', async () => {
    // Root without its privileges, as an NFS server that squashes root sees it.
    const program = `const { createStorageFiles } = await import(process.argv[1]);
      await createStorageFiles({ storage: process.argv[2], importRoot: '/tmp/imports' })
        .prepare({ id: 'x', slug: 'denied', directory: '' }, { uid: 65530, gid: 65530 });`;
    const source = join(import.meta.dirname, '../../../../../src/adapters/runtimes/swarm/files/storage-files.ts');
    const squashed = ['--bounding-set=-all', '--inh-caps=-all', process.execPath, '--input-type=module'];
    const preparing = execa('/usr/bin/setpriv', [...squashed, '--eval', program, source, storage]);
    await expect(preparing).rejects.toThrow('no_root_squash');
  });

  test('are refused for an image that runs as root', async () => {
    await expect(files.prepare(tenantOf('rooted'), { uid: 0, gid: 0 })).rejects.toThrow('set USER in its Dockerfile');
  });

  test('end with the signal’s reason, and a broken archive is an error', async () => {
    const tenant = await prepared('broken');
    await expect(files.data.write(tenant, Readable.from([Buffer.from('no tar at all')]), signal)).rejects.toThrow(
      'tar',
    );
    const endless = (async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.alloc(100);
      await new Promise(() => undefined);
    })();
    const aborting = new AbortController();
    const writing = files.data.write(tenant, endless, aborting.signal);
    aborting.abort(new Error('cancelled by the test'));
    await expect(writing).rejects.toThrow('cancelled by the test');
  });
});
