import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { poll } from '../../../src/lib/concurrency/poll.ts';
import { removeCutOffWrites, writeFileAtomic } from '../../../src/lib/files/atomic-file.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-atomic-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const leftover = (name: string): string => `${name}.tenantry-0123456789ab.tmp`;
const large = 32 * 1024 * 1024;

describe('an interrupted write', () => {
  test('leaves the file unchanged, and the next cleanup removes its temporary file', async () => {
    const path = join(directory, 'site.conf');
    await writeFileAtomic(path, 'before');
    const source = new URL('../../../src/lib/files/atomic-file.ts', import.meta.url).href;
    const script = `const { writeFileAtomic } = await import(${JSON.stringify(source)});
      for (;;) await writeFileAtomic(${JSON.stringify(path)}, Buffer.alloc(${large}, 'x'));`;
    const writer = spawn(process.execPath, ['--input-type=module', '--eval', script], { stdio: 'ignore' });
    const ended = once(writer, 'exit');
    const aside = await poll(async () => (await readdir(directory)).find((name) => name.endsWith('.tmp')), {
      timeoutMs: 20_000,
      intervalMs: 1,
    });
    writer.kill('SIGKILL');
    await ended;
    // Killed between two writes: equal to a completed one.
    const left = (await readdir(directory)).filter((name) => name !== 'site.conf');
    expect(aside).toMatch(/^site\.conf\.tenantry-/);
    expect(left.length).toBeLessThanOrEqual(1);
    expect(['before', 'x'.repeat(6)]).toContain((await readFile(path, 'utf8')).slice(0, 6));

    await writeFile(join(directory, leftover('site.conf')), 'half');
    await removeCutOffWrites(directory);
    expect(await readdir(directory)).toEqual(['site.conf']);
  });
});

describe('cleanup', () => {
  test('removes only our files, goes as deep as requested, and follows no link', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'tenantry-outside-'));
    const strangers = ['a.tmp', 'a.conf.0123456789ab.tmp', 'tenantry-0123456789ab.tmp', 'a.tenantry-xyz.tmp', 'a.conf'];
    for (const name of strangers) await writeFile(join(directory, name), name);
    await mkdir(join(directory, 'one', 'two'), { recursive: true });
    await symlink(outside, join(directory, 'link'));
    const places = [directory, join(directory, 'one'), join(directory, 'one', 'two'), outside];
    for (const place of places) await writeFile(join(place, leftover('b')), '');

    const left = async () => {
      const found = await Promise.all(places.map((place) => readdir(place)));
      return found.map((names) => names.includes(leftover('b')));
    };
    await removeCutOffWrites(directory, { of: (name) => name !== 'b' });
    expect(await left()).toEqual([true, true, true, true]);
    await removeCutOffWrites(directory);
    expect(await left()).toEqual([false, true, true, true]);
    await removeCutOffWrites(directory, { depth: 1 });
    expect(await left()).toEqual([false, false, true, true]);
    await removeCutOffWrites(directory, { depth: 9 });
    expect(await left()).toEqual([false, false, false, true]);
    expect((await readdir(directory)).sort()).toEqual([...strangers, 'link', 'one'].sort());
    await removeCutOffWrites(join(directory, 'not-there'));
    await rm(outside, { recursive: true });
  });

  test('keeps what this process is writing', async () => {
    const path = join(directory, 'large');
    const writing = writeFileAtomic(path, Buffer.alloc(large, 'x'));
    await poll(async () => (await readdir(directory)).find((name) => name.endsWith('.tmp')), {
      timeoutMs: 10_000,
      intervalMs: 1,
    });
    await removeCutOffWrites(directory);
    await writing;
    expect((await readFile(path)).length).toBe(large);
  });
});
