import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { askDeploy, endOf, getDeployment, makeTenant, until } from '../../harness/data/tenants.ts';
import { describeMariaDb } from '../../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';

describeMariaDb('a manager with an unresponsive MariaDB', () => {
  let directory: string;
  let server: MariaDb;
  let app: App;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-store-hangs-'));
    server = await startMariaDb();
    app = await startApp({ environment: { DATABASE_URL: await server.newDatabase() } });
  });
  afterAll(async () => {
    server.resume();
    await app.stop();
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test('answers 503 within 10 s, and continues the running deployment afterwards', async () => {
    const repository = await makeFixtureRepository(join(directory, 'repository'));
    const [deployed, deploying] = [await makeTenant(app, repository.path), await makeTenant(app, repository.path)];
    expect(await endOf(app, await askDeploy(app, deployed.id))).toMatchObject({ status: 'success', error: null });
    const id = await askDeploy(app, deploying.id);
    await until(
      () => getDeployment(app, id),
      ({ steps }) => steps.some(({ status }) => status === 'success'),
    );

    await server.suspend();
    const sweep = app.manager.app.health.runSweep();
    const answers = await Promise.all([
      ...Array.from({ length: 20 }, () => app.call('GET', '/api/tenants')),
      app.call('GET', '/readyz', { token: null }),
      app.call('POST', '/api/auth/login', { token: null, body: { username: 'admin', password: 'x'.repeat(12) } }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array(22).fill([503, 'database_unavailable']),
    );
    await sweep.catch(() => undefined);

    server.resume();
    expect(await endOf(app, id)).toMatchObject({ status: 'success', error: null });
    const answer = await app.call('POST', `/api/tenants/${deployed.id}/health-check`);
    expect(answer.body).toMatchObject({ overall_status: 'healthy' });
    await app.manager.app.health.runSweep();
    const { body } = await app.call<{ tenants: { health_status: string }[] }>('GET', '/api/tenants');
    expect(body.tenants.map(({ health_status }) => health_status)).toEqual(['healthy', 'healthy']);
  });
});
