import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { appOnSqlite } from '../../harness/app/each-store-app.ts';
import { failWith, makeFaultyRepository } from '../../harness/data/faulty-application.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer } from '../../harness/data/tenants.ts';
import { diagnosed, setSettings, well } from './faults.ts';

appOnSqlite('the last change before a fault', (app) => {
  let directory: string;
  let tenant: TenantAnswer;
  let backup: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-last-change-'));
    const repository = await makeFaultyRepository(join(directory, 'repository'));
    await repository.release('v3.0.0', { 'NEWS.md': 'Version 3\n' });
    await setSettings(app(), { health_check_timeout: 1 });
    tenant = await makeTenant(app(), repository.path);
    expect((await deploy(app(), tenant.id, { target_version: 'v2.0.0' })).status).toBe('success');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  const ask = async (method: string, path: string, body?: Record<string, unknown>): Promise<{ id: string }> => {
    const answer = await app().call<{ id: string }>(method, path, body ? { body } : {});
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  async function lastChange(): Promise<string[]> {
    await failWith(app(), tenant, 'api', 'exit-3');
    const { cause } = await diagnosed(app(), tenant.id, 'unit_crashed');
    await failWith(app(), tenant, 'api', 'none');
    await well(app(), tenant.id);
    return (cause?.evidence ?? []).filter(({ source }) => source === 'Audit log').map(({ fact }) => fact);
  }

  test('is no backup, drill, rehearsal, maintenance window or note', async () => {
    const { id } = tenant;
    await setEnvironment(app(), id, { COLOUR: 'green' });
    ({ id: backup } = await ask('POST', `/api/tenants/${id}/backups`));
    await ask('POST', `/api/tenants/${id}/backups/${backup}/verify`);
    await ask('PUT', `/api/tenants/${id}/backup-schedule`, { cron: '0 3 * * *', keep: null });
    await ask('POST', `/api/tenants/${id}/upgrade?rehearse=true`, { target_version: 'v3.0.0' });
    await ask('PUT', `/api/tenants/${id}`, { notes: 'Pays in March', tags: ['north'] });
    await ask('POST', '/api/maintenance-windows', {
      tenant_id: id,
      reason: 'Move',
      starts_at: new Date(Date.now() + 3_600_000).toISOString(),
      ends_at: new Date(Date.now() + 7_200_000).toISOString(),
    });
    expect(await lastChange()).toEqual([`The last change: Configuration of ${tenant.slug} changed by admin`]);
  });

  test('may be a restored backup', async () => {
    await ask('POST', `/api/tenants/${tenant.id}/backups/${backup}/restore`);
    expect(await lastChange()).toEqual(['The last change: admin requested a restore']);
  });
});
