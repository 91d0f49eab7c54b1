import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { type App, startApp } from '../harness/app.ts';
import { describeWithEngine } from '../harness/engine.ts';
import { type FixtureRepository, makeFixtureRepository } from '../harness/fixture-repository.ts';
import { deploy, makeTenant, setEnvironment } from '../harness/tenants.ts';

jest.setTimeout(120_000);

function firstDeployment(runtime: 'process' | 'docker'): void {
  let directory: string;
  let repository: FixtureRepository;
  let app: App;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-failed-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    app = await startApp({ environment: { RUNTIME: runtime }, healthTimeoutMs: 8_000 });
  });
  afterAll(async () => {
    await app.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test.each([
    [{ MIGRATION: 'fail' }, 'Initialize database'],
    [{ MODE: 'crash' }, 'Health check'],
  ])('that fails (%j) leaves nothing, and the next one begins with an empty database', async (environment, step) => {
    const tenant = await makeTenant(app, repository.path);
    await setEnvironment(app, tenant.id, environment);
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'failed', error: { step } });
    const owned = await app.manager.house.runtime.list();
    expect(owned.filter(({ tenantId }) => tenantId === tenant.id)).toEqual([]);
    const kept = access(join(app.directory, 'data', 'tenants', tenant.slug)).then(
      () => 'kept',
      () => 'gone',
    );
    expect(await kept).toBe('gone');
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  });
}

describe('a first deployment of local processes', () => firstDeployment('process'));
describeWithEngine('a first deployment of containers', () => firstDeployment('docker'));
