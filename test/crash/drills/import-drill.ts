import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import type { MakeManager, ManagerProcess } from '../../harness/app/manager-process.ts';
import { analyze, endOfImport, listPath, statusOf, upload } from '../../harness/data/lists.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { sampled } from '../../harness/exhaustive.ts';

/** Three parts, the last one short; some rows are rejected. */
const total = 11_007;
const rejected = 8;
const good = total - rejected;
const rows = Array.from({ length: total }, (_, at) =>
  at % 1_500 === 100 ? `,Nameless${at},,` : `P${at},Example,p${at}@example.org,${at}`,
);
const list = `First Name,Last Name,Email,Member Number\n${rows.join('\n')}\n`;

/**
 * Kills the manager while a list is imported, and checks how the next one continues.
 * @param only one moment of an import alone, unless all are tested
 */
export function importDrill(makeManager: MakeManager, { only }: { only?: 'an import' | undefined } = {}): void {
  let directory: string;
  let manager: ManagerProcess;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    expect(rows.filter((row) => row.startsWith(',')).length).toBe(rejected);
    directory = await mkdtemp(join(tmpdir(), 'tenantry-import-crash-'));
    const { path } = await makeContactsRepository(join(directory, 'repository'));
    manager = await makeManager({ RUNTIME: 'process' });
    await manager.start();
    const slug = `crash${Date.now().toString(36)}`;
    const made = await manager.call<TenantAnswer>('POST', '/api/tenants', {
      body: {
        name: 'Crash',
        slug,
        domain: `${slug}.example.org`,
        api_domain: `api.${slug}.example.org`,
        git_repo: path,
      },
    });
    tenant = made.body;
    const { body } = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`);
    const end = await until(
      async () => (await manager.call<DeploymentAnswer>('GET', `/api/deployments/${body.deployment_id}`)).body,
      ({ status }) => !['queued', 'running'].includes(status),
    );
    expect([end.status, end.error]).toEqual(['success', null]);
  });
  afterAll(async () => {
    await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    expect(await manager.stop()).toBe(0);
    await manager.remove();
    await rm(directory, { recursive: true, force: true });
  });

  const call = <T = Record<string, unknown>>(method: string, rest: string, body?: unknown) =>
    manager.call<T>(method, listPath(tenant.id, rest), body === undefined ? {} : { body });
  const people = async () =>
    (await manager.call<{ total: number }>('GET', `/api/tenants/${tenant.id}/remote/persons/count`)).body.total;

  /** An import leaves no files, here or at the tenant. */
  async function assertTidy(id: string): Promise<void> {
    expect(await readdir(join('/tmp/imports', tenant.slug))).toEqual([]);
    const own = await readdir(join(manager.directory, 'data', 'imports', id));
    expect(own.sort()).toEqual(['errors.csv', 'findings.json', 'list', 'rejected.csv', 'sample.json']);
  }

  async function ready(): Promise<string> {
    const { job_id: id } = await upload(manager, tenant.id, list);
    await analyze(manager, tenant.id, id);
    return id;
  }

  /** Resolves when this number of rows is processed, or it has ended. */
  const reaches = (id: string, processed: number) =>
    until(
      () => statusOf(manager, tenant.id, id),
      ({ status, progress }) => status !== 'importing' || progress.processed >= processed,
    );

  // If the rows were not checked before, the first kills hit the step that checks them; with checked rows the first
  // part.
  test.each(
    sampled('import', only ? 1 : 2, [
      [0, 0],
      [0, 500],
      [5_000, 50],
      [total, 0],
    ] as const),
  )(
    'an import killed at row %i + %i ms continues at the next start: every row once, nothing left',
    async (row, delay) => {
      const before = await people();
      const id = await ready();
      expect((await call('POST', `${id}/execute`, { skip_duplicates: false })).status).toBe(202);
      await reaches(id, row);
      if (delay > 0) await sleep(delay);
      await manager.kill();
      await manager.start();
      const { status, progress, import_result } = await endOfImport(manager, tenant.id, id);
      expect([status, import_result?.error]).toEqual(['completed', undefined]);
      expect(progress).toEqual({
        total,
        processed: total,
        success: good,
        failed: rejected,
        duplicates: 0,
        updated: 0,
      });
      expect(await people()).toBe(before + good);
      await assertTidy(id);
    },
  );

  if (only) return;

  test('killed repeatedly, it fails, and can be executed again', async () => {
    const before = await people();
    const id = await ready();
    expect((await call('POST', `${id}/execute`, { skip_duplicates: false })).status).toBe(202);
    for (let time = 0; time < 3; time += 1) {
      await until(
        () => statusOf(manager, tenant.id, id),
        ({ status }) => ['importing', 'failed', 'completed'].includes(status),
      );
      await manager.kill();
      await manager.start();
    }
    const given = await endOfImport(manager, tenant.id, id);
    // Fast machines may have completed it before.
    if (given.status === 'failed') {
      expect(given.import_result?.error).toMatch(/crashed 3 times/);
      await assertTidyAfterFailure(id);
      expect((await call('POST', `${id}/execute`, { skip_duplicates: false })).status).toBe(202);
    }
    expect(await endOfImport(manager, tenant.id, id)).toMatchObject({ status: 'completed' });
    expect(await people()).toBe(before + good);
    expect((await call('POST', `${id}/undo`)).body).toMatchObject({ removed: good });
    expect(await people()).toBe(before);
  });

  async function assertTidyAfterFailure(id: string): Promise<void> {
    expect(await readdir(join('/tmp/imports', tenant.slug))).toEqual([]);
    const own = await readdir(join(manager.directory, 'data', 'imports', id));
    expect(own).not.toContain('work');
  }

  test('an analysis and an upload, killed: the former completes, the latter leaves nothing', async () => {
    const { job_id: id } = await upload(manager, tenant.id, list);
    const before = await readdir(join(manager.directory, 'data', 'imports'));
    // As after a kill of a validation that queries the tenant.
    const question = join(manager.directory, 'data', 'imports', id, 'check-Ab12Cd');
    await mkdir(question);
    await writeFile(join('/tmp/imports', tenant.slug, `${id}-check-Ab12Cd.csv`), list);
    await writeFile(join(manager.directory, 'data', 'imports', id, 'rejected.csv.x.tmp'), list);
    const asked = call('POST', `${id}/analyze`).catch(() => undefined);
    const sent = upload(manager, tenant.id, list.repeat(40)).catch(() => undefined);
    await until(
      () => readdir(join(manager.directory, 'data', 'imports')),
      (now) => now.length > before.length,
    );
    await manager.kill();
    await Promise.all([asked, sent]);
    await manager.start();
    const end = await until(
      () => statusOf(manager, tenant.id, id),
      ({ status }) => status !== 'analyzing',
    );
    expect(['pending', 'ready']).toContain(end.status);
    expect(await readdir(join('/tmp/imports', tenant.slug))).toEqual([]);
    expect((await readdir(join(manager.directory, 'data', 'imports', id))).sort()).toEqual(['list', 'sample.json']);
    const own = (await readdir(join(manager.directory, 'data', 'imports'))).filter((name) => name.startsWith('imp_'));
    const { body } = await call<{ jobs: { id: string }[] }>('GET', 'history?limit=500');
    expect(own.sort()).toEqual(body.jobs.map((job) => job.id).sort());
  });
}
