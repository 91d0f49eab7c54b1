import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { MakeManager, ManagerProcess } from '../../harness/app/manager-process.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, databaseFileIn, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { sampled } from '../../harness/exhaustive.ts';

/**
 * Kills the manager while a backup is made and restored, and checks how the next one continues.
 * @param only one moment of a restore alone, unless all are tested
 */
export function restoreDrill(makeManager: MakeManager, { only }: { only?: 'a restore' | undefined } = {}): void {
  let directory: string;
  let manager: ManagerProcess;
  let tenant: TenantAnswer;
  /** Some 10 MiB: loading takes long enough to be killed in the middle. */
  const rows = 12_000;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-backup-crash-'));
    const repository = await makeFixtureRepository(join(directory, 'repository'));
    manager = await makeManager({ RUNTIME: 'process' });
    await manager.start();
    const { body } = await manager.call<TenantAnswer>('POST', '/api/tenants', {
      body: {
        name: 'Crash',
        slug: 'crash',
        domain: 'crash.example.org',
        api_domain: 'api.crash.example.org',
        git_repo: repository.path,
      },
    });
    await manager.call('POST', `/api/tenants/${body.id}/deploy`);
    tenant = body;
    const deployed = await until(latest, ({ status }) => !['queued', 'running'].includes(status));
    expect(deployed.status).toBe('success');
    inTenant(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
    INSERT INTO persons SELECT i FROM n; CREATE TABLE filler AS SELECT hex(randomblob(400)) AS text FROM persons`);
  });
  afterAll(async () => {
    await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    expect(await manager.stop()).toBe(0);
    await manager.remove();
    await rm(directory, { recursive: true, force: true });
  });

  const database = () => databaseFileIn(join(manager.directory, 'data', 'tenants', 'crash', 'data'));
  /** In a separate process, like the tenant's. */
  function inTenant(statements: string): void {
    const script = 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])';
    execFileSync(process.execPath, ['-e', script, database(), statements], { stdio: 'ignore' });
  }
  function count(): number {
    const script =
      'console.log(new (require("node:sqlite").DatabaseSync)(process.argv[1]).prepare("SELECT COUNT(*) AS n FROM persons").get().n)';
    return Number(execFileSync(process.execPath, ['-e', script, database()], { stdio: ['ignore', 'pipe', 'ignore'] }));
  }

  async function latest(): Promise<DeploymentAnswer> {
    const { body } = await manager.call<{ deployments: { id: string }[] }>(
      'GET',
      `/api/tenants/${tenant.id}/deployments`,
    );
    return (await manager.call<DeploymentAnswer>('GET', `/api/deployments/${body.deployments[0]?.id}`)).body;
  }
  const ended = () => until(latest, ({ status }) => !['queued', 'running'].includes(status));

  interface BackupAnswer {
    id: string;
    status: string;
    backup_path: string;
  }
  const backups = async () =>
    (await manager.call<{ backups: BackupAnswer[] }>('GET', `/api/tenants/${tenant.id}/backups?limit=500`)).body
      .backups;

  /** The files are those that the catalogue lists as complete, and nothing else. */
  async function assertTidy(): Promise<void> {
    const root = join(manager.directory, 'data', 'backups');
    const found = await readdir(root, { recursive: true, withFileTypes: true });
    const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const complete = (await backups()).filter(({ status }) => status === 'complete');
    expect(files.sort()).toEqual(complete.map(({ backup_path }) => backup_path).sort());
    expect((await backups()).map(({ status }) => status)).not.toContain('creating');
  }

  if (!only)
    test.each(sampled('backup', 1, [30, 200, 500]))(
      'a backup killed after %i ms is completed at the next start or leaves nothing',
      async (delay) => {
        const asked = manager.call('POST', `/api/tenants/${tenant.id}/backups`).catch(() => undefined);
        await sleep(delay);
        await manager.kill();
        await manager.start();
        await asked;
        expect(['success', 'failed']).toContain((await ended()).status);
        await assertTidy();
      },
    );

  test.each(
    sampled('restore', only ? 1 : 2, [
      ['Check backup', 0],
      ['Stop services', 0],
      ['Safety backup', 50],
      ['Restore database', 0],
      ['Restore database', 60],
      ['Restore files', 0],
      ['Put into place', 0],
      ['Start services', 0],
      ['Health check', 0],
    ] as const),
  )(
    'a restore killed at “%s” + %i ms ends with the data of either side, and the tenant running',
    async (step, delay) => {
      inTenant(`DELETE FROM persons; INSERT INTO persons VALUES (1)`);
      inTenant(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows}) INSERT INTO persons SELECT i FROM n WHERE i > 1`,
      );
      const made = await manager.call<BackupAnswer>('POST', `/api/tenants/${tenant.id}/backups`);
      inTenant('DELETE FROM persons WHERE id > 7');
      const path = `/api/tenants/${tenant.id}/backups/${made.body.id}/restore`;
      const asked = manager.call('POST', path, { body: {} }).catch(() => undefined);
      await until(
        latest,
        ({ kind, current_step, status }: DeploymentAnswer & { kind?: string }) =>
          kind === 'restore' && (current_step === step || status !== 'running'),
      );
      if (delay > 0) await sleep(delay);
      await manager.kill();
      await manager.start();
      await asked;
      const { status } = await ended();
      expect(count()).toBe(status === 'success' ? rows : 7);
      const health = await manager.call('POST', `/api/tenants/${tenant.id}/health-check`);
      expect(health.body.overall_status).toBe('healthy');
      expect((await manager.call<TenantAnswer>('GET', `/api/tenants/${tenant.id}`)).body.status).toBe('running');
      await assertTidy();
      // Neither a second database nor other files are left.
      expect((await readdir(join(database(), '..'))).filter((name) => !name.startsWith(basename(database())))).toEqual(
        [],
      );
    },
  );
}
