import { statSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { move } from '../../../src/lib/files/move.ts';

/** A separate file system on every Linux that has it. */
const elsewhere = '/dev/shm';
const deviceOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.dev;
const hasOther = ![undefined, deviceOf(tmpdir())].includes(deviceOf(elsewhere));

describe.each([
  ['on one disk', tmpdir(), test],
  ['to another disk', elsewhere, hasOther ? test : test.skip],
])('a move %s', (_where, root, each) => {
  let here: string;
  let there: string;
  beforeEach(async () => {
    here = await mkdtemp(join(tmpdir(), 'tenantry-move-'));
    there = await mkdtemp(join(deviceOf(root) === undefined ? tmpdir() : root, 'tenantry-move-'));
  });
  afterEach(async () => {
    for (const directory of [here, there]) await rm(directory, { recursive: true, force: true });
  });

  each('takes a file as it is', async () => {
    await writeFile(join(here, 'a.tar'), 'content', { mode: 0o600 });
    await move(join(here, 'a.tar'), join(there, 'kept.tar'));
    expect(await readFile(join(there, 'kept.tar'), 'utf8')).toBe('content');
    expect((await lstat(join(there, 'kept.tar'))).mode & 0o777).toBe(0o600);
    expect([await readdir(here), await readdir(there)]).toEqual([[], ['kept.tar']]);
  });

  each('takes a directory with all in it, links as links', async () => {
    await mkdir(join(here, 'one', 'data'), { recursive: true });
    await writeFile(join(here, 'one', 'data', 'file'), 'content');
    await symlink('../elsewhere', join(here, 'one', 'link'));
    await move(join(here, 'one'), join(there, 'one'));
    expect(await readFile(join(there, 'one', 'data', 'file'), 'utf8')).toBe('content');
    expect(await readlink(join(there, 'one', 'link'))).toBe('../elsewhere');
    expect(await readdir(here)).toEqual([]);
  });

  each('what an earlier call has moved is fine', async () => {
    await move(join(here, 'nothing'), join(there, 'nothing'));
    expect(await readdir(there)).toEqual([]);
  });
});

(hasOther ? test : test.skip)('an interrupted one resumes, and loses nothing', async () => {
  const [here, there] = [
    await mkdtemp(join(tmpdir(), 'tenantry-move-')),
    await mkdtemp(join(elsewhere, 'tenantry-move-')),
  ];
  // During the copy: a partial copy in the temporary place.
  await writeFile(join(here, 'a'), 'whole');
  await writeFile(join(there, 'a.moving'), 'wh');
  await move(join(here, 'a'), join(there, 'a'));
  expect([await readdir(here), await readFile(join(there, 'a'), 'utf8')]).toEqual([[], 'whole']);
  // During the removal of the source.
  await mkdir(join(here, 'b'));
  await mkdir(join(there, 'b'));
  await writeFile(join(there, 'b', 'file'), 'whole');
  await move(join(here, 'b'), join(there, 'b'));
  expect([await readdir(here), await readdir(there), await readdir(join(there, 'b'))]).toEqual([
    [],
    ['a', 'b'],
    ['file'],
  ]);
  for (const directory of [here, there]) await rm(directory, { recursive: true, force: true });
});
