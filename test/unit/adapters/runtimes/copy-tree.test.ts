import { mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import PQueue from 'p-queue';
import { copyTree } from '../../../../src/adapters/runtimes/recorded/process/copy-tree.ts';

describe('copies of a directory', () => {
  let from: string;
  let elsewhere: string;
  const options = () => ({
    isLinked: (path: string) => basename(path) === 'node_modules',
    queue: new PQueue({ concurrency: 2 }),
  });

  beforeEach(async () => {
    from = await mkdtemp(join(tmpdir(), 'tenantry-copy-'));
    // Another file system, where hard links do not work.
    elsewhere = await mkdtemp('/dev/shm/tenantry-copy-');
    await mkdir(join(from, 'node_modules', 'pkg', 'lib'), { recursive: true });
    await writeFile(join(from, 'node_modules', 'pkg', 'lib', 'index.js'), 'code');
    await mkdir(join(from, 'bin'));
    await writeFile(join(from, 'bin', 'run'), 'run', { mode: 0o755 });
    await symlink('../node_modules/pkg', join(from, 'bin', 'relative'));
    await symlink(join(from, 'bin', 'run'), join(from, 'node_modules', 'absolute'));
    await symlink('/etc/hostname', join(from, 'outside'));
  });
  afterEach(async () => {
    for (const directory of [from, `${from}-copy`, elsewhere]) await rm(directory, { recursive: true, force: true });
  });

  const dependency = 'node_modules/pkg/lib/index.js';
  const inode = async (path: string) => (await stat(path)).ino;

  test('link dependencies, copy the rest with permissions, and keep links inside', async () => {
    const to = `${from}-copy`;
    const socket = createServer().listen(join(from, 'socket'));
    await new Promise((resolve) => socket.once('listening', resolve));
    await copyTree(from, to, options());
    await new Promise((resolve) => socket.close(resolve));
    expect(await inode(join(to, dependency))).toBe(await inode(join(from, dependency)));
    expect(await inode(join(to, 'bin/run'))).not.toBe(await inode(join(from, 'bin/run')));
    expect((await stat(join(to, 'bin/run'))).mode & 0o777).toBe(0o755);
    expect(await readlink(join(to, 'bin/relative'))).toBe('../node_modules/pkg');
    expect(await readlink(join(to, 'node_modules/absolute'))).toBe('../bin/run');
    expect(await readlink(join(to, 'outside'))).toBe('/etc/hostname');
    await expect(stat(join(to, 'socket'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('copy dependencies that cannot be linked', async () => {
    const to = join(elsewhere, 'copy');
    await copyTree(from, to, options());
    expect(await readFile(join(to, dependency), 'utf8')).toBe('code');
    expect((await stat(join(to, dependency))).nlink).toBe(1);
  });

  test('end with the reason when aborted, and with the error when they fail', async () => {
    const aborted = { ...options(), signal: AbortSignal.abort(new Error('enough')) };
    await expect(copyTree(from, join(elsewhere, 'copy'), aborted)).rejects.toThrow('enough');
    await writeFile(join(elsewhere, 'bin'), 'not a directory');
    await expect(copyTree(from, elsewhere, options())).rejects.toMatchObject({ code: 'EEXIST' });
  });
});
