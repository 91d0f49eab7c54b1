import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { type TenantAnswer, until } from '../../harness/data/tenants.ts';

let directory: string;
let manager: ManagerProcess;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-rolled-back-'));
  manager = await makeManagerProcess({ RUNTIME: 'process' });
  await manager.start();
});
afterAll(async () => {
  await manager.stop();
  await manager.remove();
  await rm(directory, { recursive: true, force: true });
});

test('a manager killed while a restart waits for unhealthy units rolls back to the previous services', async () => {
  const repository = await makeFixtureRepository(join(directory, 'repository'));
  const { body: tenant } = await manager.call<TenantAnswer>('POST', '/api/tenants', {
    body: {
      name: 'A',
      slug: 'rolled-back',
      domain: 'a.example.org',
      api_domain: 'api.a.example.org',
      git_repo: repository.path,
    },
  });
  const { body } = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`);
  await until(
    async () => (await manager.call<{ status: string }>('GET', `/api/deployments/${body.deployment_id}`)).body.status,
    (status) => status === 'success',
  );
  const modeNow = async (): Promise<string | undefined> => {
    const answer = await fetch(`http://127.0.0.1:${tenant.backend_port}/env`).catch(() => undefined);
    return answer ? (((await answer.json()) as { MODE?: string }).MODE ?? 'as deployed') : undefined;
  };

  await manager.call('PUT', `/api/tenants/${tenant.id}/config`, { body: { custom_env: { MODE: 'unhealthy' } } });
  const restarting = manager.call('POST', `/api/tenants/${tenant.id}/restart`).catch(() => undefined);
  await until(modeNow, (mode) => mode === 'unhealthy');
  await manager.kill();
  await restarting;
  await manager.start();

  await until(modeNow, (mode) => mode === 'as deployed');
  const { body: health } = await manager.call('POST', `/api/tenants/${tenant.id}/health-check`);
  expect(health.overall_status).toBe('healthy');
  const { body: auditLog } = await manager.call<{ logs: { message: string }[] }>(
    'GET',
    `/api/logs?tenant_id=${tenant.id}&category=system`,
  );
  expect(auditLog.logs.map(({ message }) => message).join()).toContain('back: an interrupted change was found');
  await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
});
