import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, supporters } from '../../harness/data/contacts.ts';
import { analyze, askImport, endOfImport, execute, listPath, upload, uploadFile } from '../../harness/data/lists.ts';
import { deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { expectRoundTrip } from './import-round-trip-journey.ts';
import { roundTrips } from './import-round-trip-lists.ts';

/** The list loader with the sample application in containers, with its own MariaDB container. */
describeWithEngine('lists on Docker', () => {
  const docker = new Docker();
  let directory: string;
  let app: App;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-lists-'));
    const { path } = await makeContactsRepository(join(directory, 'repository'));
    app = await startApp({
      environment: { RUNTIME: 'docker' },
      healthTimeoutMs: 60_000,
      importing: { rowsPerPart: 200, tenantTimeoutMs: 60_000 },
    });
    tenant = await makeTenant(app, path);
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
  });
  afterAll(async () => {
    const { runtime } = app.manager.app;
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await runtime.removeReleasesExcept(new Set());
    const left = (await runtime.list()).map(({ name }) => name);
    await app.stop();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  /** The files in the container's import directory. */
  async function importFiles(): Promise<string> {
    const owned = (await app.manager.app.runtime.list()).filter(({ kind }) => kind === 'unit');
    const api = owned.find(({ name }) => name.includes(`${tenant.slug}-api`));
    const exec = await docker.getContainer(api?.name ?? '').exec({
      Cmd: ['find', `/tmp/imports/${tenant.slug}`, '-type', 'f'],
      AttachStdout: true,
      Tty: true,
    });
    const stream = await exec.start({ Tty: true });
    let said = '';
    for await (const chunk of stream) said += String(chunk);
    return said.trim();
  }

  test('a list is imported into the tenant’s database and undone, and leaves no file in its container', async () => {
    const { job_id: id } = await uploadFile(app, tenant.id, supporters.path, 'supporters.csv');
    await analyze(app, tenant.id, id);
    const validated = await app.call('POST', listPath(tenant.id, `${id}/validate`));
    expect(validated.body).toMatchObject({ valid_count: 40, tenant_duplicates: { checked: 40, found: 0 } });
    expect(await execute(app, tenant.id, id, { tags: ['spring'] })).toMatchObject({
      status: 'completed',
      import_result: { imported: 40, failed: 0 },
    });
    expect(await countPeople(app, tenant.id)).toBe(40);
    const again = await app.call('POST', listPath(tenant.id, `${id}/validate`));
    expect(again.body).toMatchObject({ tenant_duplicates: { checked: 40, found: 40 } });
    expect(await importFiles()).toBe('');
    const undone = await app.call('POST', listPath(tenant.id, `${id}/undo`));
    expect(undone).toMatchObject({ status: 200, body: { removed: 40, kept: 0 } });
    expect(await countPeople(app, tenant.id)).toBe(0);
  });

  test('an import continues while the tenant is restarted: every row once', async () => {
    const rows = Array.from({ length: 500 }, (_, at) => `P${at},Example,p${at}@example.org`);
    const { job_id: id } = await upload(app, tenant.id, `First Name,Last Name,Email\n${rows.join('\n')}\n`);
    await analyze(app, tenant.id, id);
    await askImport(app, tenant.id, id, { skip_duplicates: false });
    expect((await app.call('POST', `/api/tenants/${tenant.id}/restart`)).status).toBe(200);
    expect(await endOfImport(app, tenant.id, id)).toMatchObject({
      status: 'completed',
      import_result: { imported: 500 },
    });
    expect(await countPeople(app, tenant.id)).toBe(500);
    expect(await importFiles()).toBe('');
  });

  test.each(roundTrips)('$name', (trip) => expectRoundTrip(app, tenant.id, trip));
});
