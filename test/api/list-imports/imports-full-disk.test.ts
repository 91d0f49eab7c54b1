import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { analyze, listForm, listPath, sendForm, sendUnannounced, upload } from '../../harness/data/lists.ts';
import { mountSmallDisk } from '../../harness/data/small-disk.ts';
import { makeTenant } from '../../harness/data/tenants.ts';

const mebibyte = 1024 ** 2;

test('a list or a validation that does not fit is rejected with 507 and leaves nothing', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-full-'));
  const imports = join(directory, 'app', 'data', 'imports');
  const unmount = await mountSmallDisk(imports, 8 * 1024);
  if (unmount === undefined) return;
  let app: App | undefined;
  try {
    app = await startApp({ directory: join(directory, 'app') });
    const tenant = await makeTenant(app, undefined);
    const path = listPath(tenant.id, 'upload');
    const row = `,Example,${'x'.repeat(80)}\n`;
    const list = `First,Last,Notes\n${row.repeat(Math.floor((3 * mebibyte) / row.length))}`;
    const { job_id: id } = await upload(app, tenant.id, list);
    await analyze(app, tenant.id, id);
    const before = (await readdir(imports)).sort();

    const announced = await sendForm(app, path, listForm(list.repeat(3)));
    expect(announced).toMatchObject({ status: 507, body: { code: 'insufficient_storage' } });
    expect(announced.body.detail).toMatch(/\d MiB are missing/);
    expect(await sendUnannounced(app, path, list.repeat(3))).toBe(507);
    expect((await readdir(imports)).sort()).toEqual(before);

    // All rows are rejected, and reported with their reasons: longer than the list.
    await writeFile(join(imports, 'ballast'), Buffer.alloc(4 * mebibyte));
    const validated = await app.call('POST', listPath(tenant.id, `${id}/validate`));
    expect(validated).toMatchObject({ status: 507, body: { code: 'insufficient_storage' } });
    await rm(join(imports, 'ballast'));
    expect((await readdir(join(imports, id))).sort()).toEqual(['list', 'sample.json']);
    expect((await app.call('GET', listPath(tenant.id, id))).body).toMatchObject({
      status: 'ready',
      validation_result: null,
    });
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  } finally {
    await app?.stop();
    await unmount();
    await rm(directory, { recursive: true, force: true });
  }
});
