import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { mountSmallDisk } from '../../harness/data/small-disk.ts';
import { deploy, getTenant, makeTenant, setEnvironment } from '../../harness/data/tenants.ts';

/** Fills a file until the disk has no space for a single byte. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let size = 1024 ** 2; size >= 1; size = Math.floor(size / 2)) {
      for (;;) {
        try {
          writeSync(file, Buffer.alloc(size));
        } catch {
          break;
        }
      }
    }
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

test('on a full disk the environment file and a restart are rejected with 507; the units keep running', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-full-'));
  const data = join(directory, 'app', 'data');
  const unmount = await mountSmallDisk(data, 48 * 1024);
  if (unmount === undefined) return;
  let app: App | undefined;
  try {
    const repository = await makeFixtureRepository(join(directory, 'repository'));
    app = await startApp({ directory: join(directory, 'app') });
    await app.call('PUT', '/api/settings/min_free_disk_mb', { body: { value: 1 } });
    const { id } = await makeTenant(app, repository.path);
    expect(await deploy(app, id)).toMatchObject({ status: 'success', error: null });
    await setEnvironment(app, id, { GREETING: 'x'.repeat(8_000) });

    fill(join(data, 'ballast'));
    const full = { status: 507, body: { code: 'insufficient_storage' } };
    expect(await app.call('POST', `/api/tenants/${id}/config/regenerate-env`)).toMatchObject(full);
    const restarted = await app.call('POST', `/api/tenants/${id}/restart`);
    expect(restarted).toMatchObject(full);
    expect(restarted.body.detail).not.toContain('GREETING');
    expect((await app.call('GET', `/api/tenants/${id}/services/status`)).body).toEqual({
      api: 'active',
      frontend: 'active',
    });

    await rm(join(data, 'ballast'));
    expect((await app.call('POST', `/api/tenants/${id}/config/regenerate-env`)).status).toBe(200);
    expect((await app.call('POST', `/api/tenants/${id}/restart`)).status).toBe(200);
    expect((await getTenant(app, id)).status).toBe('running');
    await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  } finally {
    await app?.stop();
    await unmount();
    await rm(directory, { recursive: true, force: true });
  }
});
