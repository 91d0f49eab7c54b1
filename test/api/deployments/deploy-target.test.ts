import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type App, sharedApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, getTenant, makeTenant, setEnvironment } from '../../harness/data/tenants.ts';

let directory: string;
let repository: FixtureRepository;
let app: App;
/** A commit on the branch `feature/new-form`, a later one, and one that only the branch had. */
let onBranch: string;
let branchHead: string;
let rewritten: string;

const git = async (...args: string[]): Promise<string> =>
  (await promisify(execFile)('git', ['-C', repository.path, ...args])).stdout.trim();

async function commit(name: string): Promise<string> {
  await writeFile(join(repository.path, 'NEWS.md'), `${name}\n`);
  await git('add', '-A');
  await git('-c', 'user.name=Ada Lovelace', '-c', 'user.email=ada@example.org', 'commit', '--quiet', '-m', name);
  return git('rev-parse', 'HEAD');
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-target-'));
  repository = await makeFixtureRepository(join(directory, 'repository'));
  // As large hosts do: listings do not contain the files.
  await git('config', 'uploadpack.allowFilter', 'true');
  await git('checkout', '--quiet', '-b', 'feature/new-form', 'v1.0.0');
  rewritten = await commit('Dropped');
  await git('reset', '--quiet', '--hard', 'v1.0.0');
  onBranch = await commit('Add a form');
  branchHead = await commit('Fix the form');
  await git('checkout', '--quiet', 'main');
  // The newest tag is broken.
  await repository.release('v1.2.0', { 'install.js': 'process.exit(9);\n' });
  app = await sharedApp();
});
afterAll(async () => {
  for (const { id } of (await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500')).body.tenants) {
    await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  }
  await rm(directory, { recursive: true, force: true });
});

/** The commit that a tenant's running API reports. */
async function runningCommit(id: string): Promise<string | undefined> {
  const { backend_port } = await getTenant(app, id);
  const environment = (await (await fetch(`http://127.0.0.1:${backend_port}/env`)).json()) as Record<string, string>;
  return environment.APP_COMMIT;
}

describe('a deployment of a chosen version', () => {
  test('runs a branch, keeps its commit when deployed again, and can be upgraded to a release afterwards', async () => {
    const { id } = await makeTenant(app, repository.path);
    const first = await deploy(app, id, { target_ref: 'feature/new-form' });
    expect(first).toMatchObject({ status: 'success', version: null, ref: 'feature/new-form', commit: branchHead });
    expect(await runningCommit(id)).toBe(branchHead);
    const { body } = await app.call('GET', `/api/tenants/${id}/version`);
    expect(body).toMatchObject({
      deployed_version: null,
      deployed_ref: 'feature/new-form',
      deployed_commit: branchHead,
      upgrade_available: true,
    });

    await git('checkout', '--quiet', 'feature/new-form');
    const later = await commit('Move on');
    await git('checkout', '--quiet', 'main');
    const again = await deploy(app, id);
    expect(again).toMatchObject({ status: 'success', ref: 'feature/new-form', commit: branchHead });
    expect(await runningCommit(id)).toBe(branchHead);
    expect(await deploy(app, id, { target_ref: 'feature/new-form' })).toMatchObject({ commit: later });

    const upgraded = await app.call('POST', `/api/tenants/${id}/upgrade`, { body: { target_version: 'v1.1.0' } });
    expect(upgraded.body).toMatchObject({ status: 'success', previous_version: null, new_version: 'v1.1.0' });
    expect((await app.call('GET', `/api/tenants/${id}/version`)).body).toMatchObject({
      deployed_version: 'v1.1.0',
      deployed_ref: null,
    });
    await git('branch', '--force', 'feature/new-form', branchHead);
  });

  test('runs a commit given by its full or abbreviated id, in either case', async () => {
    const { id } = await makeTenant(app, repository.path);
    const named = onBranch.slice(0, 7).toUpperCase();
    expect(await deploy(app, id, { target_ref: named })).toMatchObject({
      status: 'success',
      version: null,
      ref: named,
      commit: onBranch,
    });
    expect(await runningCommit(id)).toBe(onBranch);
    const tip = repository.commits['v1.0.0'] ?? '';
    expect(await deploy(app, id, { target_ref: tip })).toMatchObject({ status: 'success', commit: tip });
    const { body } = await app.call('POST', `/api/tenants/${id}/deploy?dry_run=true`, {
      body: { target_ref: onBranch },
    });
    expect(body).toMatchObject({ version: null, ref: onBranch, commit: onBranch });
  });

  test('a dry run shows the commits and the variables that differ from what is deployed', async () => {
    const { id } = await makeTenant(app, repository.path);
    const changesTo = async (body: Record<string, string>) =>
      (await app.call('POST', `/api/tenants/${id}/deploy?dry_run=true`, { body })).body.changes;
    expect(await changesTo({ target_version: 'v1.0.0' })).toBeNull();

    await setEnvironment(app, id, { KEPT: 'a', CHANGED: 'secret-1', DROPPED: 'c' });
    await deploy(app, id, { target_version: 'v1.0.0' });
    await setEnvironment(app, id, { KEPT: 'a', CHANGED: 'secret-2', FRESH: 'd' });
    const forward = await changesTo({ target_ref: 'feature/new-form' });
    const author = 'Ada Lovelace';
    const date = expect.stringMatching(/^\d{4}-.*Z$/);
    const commits = [
      { commit: branchHead, author, date, subject: 'Fix the form' },
      { commit: onBranch, author, date, subject: 'Add a form' },
    ];
    expect(forward).toMatchObject({
      commits: { added: { total: 2, commits }, removed: { total: 0, commits: [] } },
      environment: { added: ['FRESH'], changed: expect.arrayContaining(['CHANGED']), removed: ['DROPPED'] },
    });
    expect((forward as { environment: { changed: string[] } }).environment.changed).not.toContain('KEPT');
    expect(JSON.stringify(forward)).not.toContain('secret-');

    await deploy(app, id, { target_ref: 'feature/new-form' });
    expect(await changesTo({ target_version: 'v1.1.0' })).toMatchObject({
      commits: { added: { total: 1 }, removed: { total: 2, commits } },
      environment: { added: [], removed: [] },
    });
  });

  test('a dry run says when the deployed commit is not in the repository any more', async () => {
    const { id } = await makeTenant(app, repository.path);
    await git('branch', 'gone', rewritten);
    expect(await deploy(app, id, { target_ref: 'gone' })).toMatchObject({ status: 'success', commit: rewritten });
    await git('branch', '--delete', '--force', 'gone');
    const { body } = await app.call('POST', `/api/tenants/${id}/deploy?dry_run=true`, {
      body: { target_version: 'v1.0.0' },
    });
    expect(body.changes).toMatchObject({ commits: null });
  });

  test('a dry run that cannot compare commits returns the rest of its plan', async () => {
    const { id } = await makeTenant(app, repository.path);
    await deploy(app, id, { target_version: 'v1.0.0' });
    const plan = () =>
      app.call('POST', `/api/tenants/${id}/deploy?dry_run=true`, { body: { target_version: 'v1.1.0' } });
    expect((await plan()).body.changes).toMatchObject({ commits: { added: { total: 1 } } });
    const mirrors = join(app.directory, 'data', 'sources', 'mirrors');
    const name = (await readdir(mirrors)).find((entry) => entry.endsWith('.commits.git')) ?? '';
    await rm(join(mirrors, name), { recursive: true });
    await writeFile(join(mirrors, name), 'not a repository');
    const { status, body } = await plan();
    await rm(join(mirrors, name));
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: 'v1.1.0', changes: { commits: null, environment: { removed: [] } } });
  });

  test('deploys an older version to a new tenant if the newest is broken', async () => {
    const { id } = await makeTenant(app, repository.path);
    expect((await deploy(app, id)).error?.step).toBe('Install dependencies');
    expect(await deploy(app, id, { target_version: 'v1.1.0' })).toMatchObject({ status: 'success', version: 'v1.1.0' });
  });

  test.each([
    ['no-such-branch'],
    ['deadbeef'],
    ['0123456789012345678901234567890123456789'],
    // A tag is a target_version.
    ['v1.0.0'],
  ])('rejects a version that the repository does not have immediately (%s)', async (target_ref) => {
    const { id } = await makeTenant(app, repository.path);
    const { status, body } = await app.call('POST', `/api/tenants/${id}/deploy`, { body: { target_ref } });
    expect([status, body.code]).toEqual([404, 'not_found']);
    expect(body.detail).toBe(`The repository has no branch or commit ${target_ref}`);
  });

  test('rejects a commit that no branch or tag contains, though the server still has it', async () => {
    const { id } = await makeTenant(app, repository.path);
    const { status } = await app.call('POST', `/api/tenants/${id}/deploy`, { body: { target_ref: rewritten } });
    expect(status).toBe(404);
  });

  test.each([
    ['--upload-pack=touch /tmp/x'],
    ['-main'],
    ['main..v1.0.0'],
    ['main^'],
    ['main:install.js'],
    ['refs/../main'],
    ['main.lock'],
    ['a//b'],
    ['main\nHEAD'],
    ['@'],
  ])('rejects a name that git would interpret differently (%j)', async (target_ref) => {
    const { id } = await makeTenant(app, repository.path);
    const { status, body } = await app.call('POST', `/api/tenants/${id}/deploy`, { body: { target_ref } });
    expect([status, body.code]).toEqual([400, 'validation_error']);
    expect(body.detail).toMatch(/^target_ref: /);
  });

  test('rejects a version together with a ref', async () => {
    const { id } = await makeTenant(app, repository.path);
    const body = { target_version: 'v1.0.0', target_ref: 'main' };
    const answer = await app.call('POST', `/api/tenants/${id}/deploy`, { body });
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_error']);
    expect(answer.body.detail).toBe('target_ref: must not be given together with target_version');
  });
});

describe('versions and branches', () => {
  test('are listed with commit, author, date and subject', async () => {
    const { id } = await makeTenant(app, repository.path);
    const { status, body } = await app.call<{
      versions: Record<string, unknown>[];
      branches: Record<string, unknown>[];
      total: number;
    }>('GET', `/api/tenants/${id}/versions?limit=1`);
    expect([status, body.total, body.versions.length]).toEqual([200, 3, 1]);
    expect(body.versions[0]).toMatchObject({
      version: 'v1.2.0',
      commit: repository.commits['v1.2.0'],
      author: expect.stringMatching(/./),
      date: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      subject: expect.stringMatching(/./),
      latest: true,
    });
    expect(body.branches).toMatchObject([
      { name: 'main', default: true, commit: repository.commits['v1.2.0'], deployed: false },
      { name: 'feature/new-form', default: false, commit: branchHead, author: 'Ada Lovelace', subject: 'Fix the form' },
    ]);
  });

  test('are read from the repository: a new tag and a moved branch appear immediately', async () => {
    const { id } = await makeTenant(app, repository.path);
    const branches = async () =>
      (await app.call<{ branches: { name: string; subject: string }[] }>('GET', `/api/tenants/${id}/versions`)).body
        .branches;
    await branches();
    await git('checkout', '--quiet', '-b', 'hotfix', 'v1.1.0');
    await commit('Patch it');
    expect(await branches()).toContainEqual(expect.objectContaining({ name: 'hotfix', subject: 'Patch it' }));
    await commit('Patch it better');
    expect(await branches()).toContainEqual(expect.objectContaining({ name: 'hotfix', subject: 'Patch it better' }));
    await git('checkout', '--quiet', 'main');
    await git('branch', '-D', 'hotfix');
    expect((await branches()).map(({ name }) => name)).not.toContain('hotfix');
  });
});
