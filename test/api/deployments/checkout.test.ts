import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import {
  commitFiles,
  type FixtureRepository,
  git,
  makeFixtureRepository,
} from '../../harness/data/fixture-repository.ts';
import { deploy, getTenant, makeTenant } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { GitServer } from '../../harness/servers/git-server.ts';

/** Starts only with the content of both, and then as the fixture does. */
const server = `
if (require('node:fs').readFileSync('data/districts.bin', 'utf8') !== 'districts') throw new Error('a pointer');
require('./vendor/lib/server.js');
`;

function completeCheckout(runtime: 'process' | 'docker'): void {
  let directory: string;
  let repository: FixtureRepository;
  let own: GitServer;
  let other: GitServer;
  let app: App;
  let files: Record<string, string>;
  const lib = 'lib';
  let commit: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-complete-'));
    repository = await makeFixtureRepository(join(directory, 'own', 'app'));
    own = await GitServer.start(join(directory, 'own'), { account: { username: 'robot', password: 's3cr3t-t0ken' } });
    other = await GitServer.start(join(directory, 'other'), { host: '127.0.0.2' });
    const fixture = await git(repository.path, 'show', 'HEAD:server.js');
    commit = await commitFiles(join(directory, 'other', lib), { 'server.js': fixture });
    files = {
      'server.js': server,
      'data/districts.bin': own.keep('districts'),
      '.gitattributes': '*.bin filter=lfs -text\n',
      '.gitmodules': `[submodule "lib"]\n\tpath = vendor/lib\n\turl = ${other.origin}/${lib}\n`,
    };
    await version('v1.2.0', files, { 'vendor/lib': commit });
    await version(
      'v1.3.0',
      { 'data/districts.bin': own.keep('more').replace(/[0-9a-f]{64}/, 'a'.repeat(64)) },
      { 'vendor/lib': commit },
    );
    app = await startApp({ environment: { RUNTIME: runtime, GIT_HOSTS: '127.0.0.1,127.0.0.2' } });
  });
  afterAll(async () => {
    await app.stop();
    await own.close();
    await other.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function version(tag: string, changed: Record<string, string>, submodules: Record<string, string>) {
    await commitFiles(repository.path, changed, submodules);
    await git(repository.path, 'tag', tag);
  }

  test('deploys submodules and the files of Git LFS, and an upgrade that lacks one says so and changes nothing', async () => {
    const tenant = await makeTenant(app, `${own.signedIn}/${basename(repository.path)}`);
    const first = await deploy(app, tenant.id, { target_version: 'v1.2.0' });
    expect(first).toMatchObject({ status: 'success', error: null });
    expect(first.logs).toContain(`Submodule vendor/lib: commit ${commit} of ${other.origin}/lib`);
    expect(first.logs).toContain('Git LFS: 1 file of 9 bytes in all');

    const upgrade = { target_version: 'v1.3.0', backup_db: false };
    const answer = await app.call('POST', `/api/tenants/${tenant.id}/upgrade`, { body: upgrade });
    expect([answer.status, answer.body.code]).toEqual([502, 'git_error']);
    const reason = 'data/districts.bin cannot be fetched by Git LFS: ';
    expect(answer.body.detail).toContain(reason);
    expect(JSON.stringify([answer.body, first])).not.toContain('s3cr3t');
    expect(await getTenant(app, tenant.id)).toMatchObject({
      status: 'running',
      deployed_commit: { id: first.commit },
    });

    const dryRun = await app.call('POST', `/api/tenants/${tenant.id}/deploy?dry_run=true`, {
      body: { target_version: 'v1.3.0' },
    });
    expect([dryRun.status, dryRun.body.code]).toEqual([502, 'git_error']);
    const again = await deploy(app, tenant.id, { target_version: 'v1.3.0' });
    expect(again).toMatchObject({
      status: 'failed',
      error: { step: 'Copy files', message: expect.stringContaining(reason) },
    });

    other.fault = (_request, response) => response.writeHead(404).end();
    await version('v1.4.0', { ...files, 'NEWS.md': 'New\n' }, { 'vendor/lib': 'b'.repeat(40) });
    const gone = await deploy(app, tenant.id, { target_version: 'v1.4.0' });
    expect(gone.error?.message).toMatch(
      /^The submodule vendor\/lib \(commit b{12}\) cannot be fetched from http:\/\/127\.0\.0\.2:\d+\/lib: /,
    );
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  });
}

describe('a complete checkout for local processes', () => completeCheckout('process'));
describeWithEngine('a complete checkout for the build of images', () => completeCheckout('docker'));
