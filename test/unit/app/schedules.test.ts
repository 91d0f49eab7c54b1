import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, until } from '../../harness/data/tenants.ts';

test('a shorter health_check_interval takes effect during a long pause', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-schedules-'));
  const home = join(directory, 'app');
  let app: App | undefined;
  try {
    const repository = await makeFixtureRepository(join(directory, 'repository'));
    app = await startApp({ directory: home });
    const { id } = await makeTenant(app, repository.path);
    expect((await deploy(app, id)).status).toBe('success');
    await app.call('PUT', '/api/settings/health_check_interval', { body: { value: 86_400 } });
    await app.stop();
    // The new manager's first pause is a day long.
    app = await startApp({ directory: home });
    const { call } = app;
    const checks = async (): Promise<unknown[]> =>
      (await call<{ checks: unknown[] }>('GET', `/api/tenants/${id}/health/history`)).body.checks;
    const before = (await checks()).length;
    await call('PUT', '/api/settings/health_check_interval', { body: { value: 10 } });
    await until(checks, ({ length }) => length > before);
    await call('DELETE', `/api/tenants/${id}?remove_files=true`);
  } finally {
    await app?.stop();
    await rm(directory, { recursive: true, force: true });
  }
}, 120_000);
