import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { type App, startApp } from '../../../harness/app/app.ts';
import { failWith, makeFaultyRepository } from '../../../harness/data/faulty-application.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../../harness/data/tenants.ts';
import { diagnosed, setSettings, type UnitFault, well } from '../../diagnosis/faults.ts';
import { output, scratchDirectory } from './machine.ts';

const version = 'v2.0.0';
/** systemd learns of the kernel's kills from version 2 of cgroups only. */
const knowsMemory = existsSync('/sys/fs/cgroup/cgroup.controllers');

describe('the diagnosis of systemd services', () => {
  let directory: string;
  let app: App;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await scratchDirectory('diagnosis');
    await makeFaultyRepository(join(directory, 'repository'));
    app = await startApp({ environment: { RUNTIME: 'systemd' } });
    await setSettings(app, { health_check_timeout: 2, unit_memory_mb: 128 });
    tenant = await makeTenant(app, join(directory, 'repository'));
    expect(await deploy(app, tenant.id, { target_version: version })).toMatchObject({ error: null });
  });
  afterAll(async () => {
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app.stop();
    await rm(directory, { recursive: true, force: true });
  });
  afterEach(async () => {
    await failWith(app, tenant, 'api', 'none');
    await failWith(app, tenant, 'frontend', 'none');
    await well(app, tenant.id, 60_000);
  });

  test('a healthy tenant has no cause', async () => {
    expect(await well(app, tenant.id)).toMatchObject({ cause: null, known: true });
  });

  test.each<UnitFault>([
    ['exit-3', 'api', 'unit_crashed'],
    ['memory', 'api', knowsMemory ? 'out_of_memory' : 'unit_killed'],
    ['kill', 'frontend', 'unit_killed'],
    ['missing-variable', 'api', 'missing_variable'],
    ['no-listen', 'frontend', 'not_listening'],
    ['hang', 'api', 'application_hangs'],
  ])('%s of the %s is %s', async (fault, role, expected) => {
    await failWith(app, tenant, role, fault);
    const { cause } = await diagnosed(app, tenant.id, expected, 40_000);
    expect(cause?.evidence.length).toBeGreaterThan(0);
  });

  test('a service that was stopped by hand', async () => {
    await output('systemctl', 'stop', `${tenant.slug}-api`);
    const { cause } = await diagnosed(app, tenant.id, 'unit_stopped_outside', 40_000);
    expect(cause?.remedy?.action).toBe('restart');
  });

  test('a removed unit file', async () => {
    await output('systemctl', 'disable', '--now', `${tenant.slug}-api`);
    await rm(`/etc/systemd/system/${tenant.slug}-api.service`, { force: true });
    await output('systemctl', 'daemon-reload');
    const { cause } = await diagnosed(app, tenant.id, 'unit_missing', 40_000);
    expect(cause?.remedy?.action).toBe('redeploy');
    expect(await deploy(app, tenant.id, { target_version: version })).toMatchObject({ error: null });
  });
});
