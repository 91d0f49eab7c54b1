import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, open, readdir, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { type App, adminPassword, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { mountSmallDisk } from '../../harness/data/small-disk.ts';
import { deploy, getTenant, makeTenant } from '../../harness/data/tenants.ts';

const mebibyte = 1024 ** 2;

/** Changes the store in a separate process: a second library in this one would break the first one's locks. */
function inStore(directory: string, statement: string): void {
  const script = 'new (require("node:sqlite").DatabaseSync)(process.argv[1]).exec(process.argv[2])';
  const path = join(directory, 'app', 'data', 'tenantry.db');
  execFileSync(process.execPath, ['-e', script, path, statement], { stdio: 'ignore' });
}

async function filesBelow(directory: string): Promise<string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test('rejects a backup that would not fit, and fails one that does not fit, both with 507 and no file', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-full-'));
  const backups = join(directory, 'app', 'data', 'backups');
  const unmount = await mountSmallDisk(backups, 24 * 1024);
  if (unmount === undefined) return;
  let app: App | undefined;
  try {
    const repository = await makeFixtureRepository(join(directory, 'repository'));
    app = await startApp({ directory: join(directory, 'app') });
    const tenant = await getTenant(app, (await makeTenant(app, repository.path)).id);
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
    const { directory: home } = await getTenant(app, tenant.id);
    const path = `/api/tenants/${tenant.id}/backups`;
    const made = await app.call('POST', path);
    expect(made.status).toBe(201);
    const before = await filesBelow(backups);

    await writeFile(join(home, 'data', 'film.mp4'), randomBytes(40 * mebibyte));
    const failed = await app.call('POST', path);
    expect([failed.status, failed.body.code]).toEqual([507, 'insufficient_storage']);
    expect(failed.body.detail).toContain('became full');
    expect(await filesBelow(backups)).toEqual(before);

    // The needed space is known from the last complete backup; the failed one does not change it.
    const setSize = (size: unknown): void =>
      inStore(directory, `UPDATE backups SET size_bytes = ${size} WHERE status = 'complete'`);
    setSize(20 * mebibyte);
    expect((await app.call('POST', path)).body.detail).toMatch(/free at least \d+ MiB more/);
    setSize(made.body.size_bytes);

    await writeFile(join(backups, 'ballast'), Buffer.alloc(10 * mebibyte));
    const refused = await app.call('POST', path);
    expect([refused.status, refused.body.code]).toEqual([507, 'insufficient_storage']);
    expect(refused.body.detail).toMatch(/free at least \d+ MiB more/);
    await rm(join(backups, 'ballast'));
    await rm(join(home, 'data', 'film.mp4'));
    expect((await app.call('POST', path)).status).toBe(201);
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  } finally {
    await app?.stop();
    await unmount();
    await rm(directory, { recursive: true, force: true });
  }
});

test('without a free byte, an administrator signs in, sees what takes the room, and deletes a backup', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-full-data-'));
  const data = join(directory, 'app', 'data');
  const unmount = await mountSmallDisk(data, 64 * 1024);
  if (unmount === undefined) return;
  let app: App | undefined;
  try {
    const repository = await makeFixtureRepository(join(directory, 'repository'));
    app = await startApp({ directory: join(directory, 'app') });
    await app.call('PUT', '/api/settings/min_free_disk_mb', { body: { value: '0' } });
    const tenant = await getTenant(app, (await makeTenant(app, repository.path)).id);
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'success', error: null });
    const path = `/api/tenants/${tenant.id}/backups`;
    const { body } = await app.call<{ id: string }>('POST', path);
    const { bavail, bsize } = await statfs(data);
    await writeFile(join(data, 'ballast'), Buffer.alloc(bavail * bsize - 8 * mebibyte));
    const refused = await app.call('POST', `${path}/${body.id}/restore`, { body: {} });
    expect([refused.status, refused.body.code]).toEqual([507, 'insufficient_storage']);
    expect(refused.body.detail).toMatch(/for a second copy of the data in .*: free at least \d+ MiB more/);
    expect((await getTenant(app, tenant.id)).status).toBe('running');

    const ballast = await open(join(data, 'ballast'), 'a');
    for (const size of [mebibyte, 4_096, 1])
      while (
        await ballast.write(Buffer.alloc(size)).then(
          ({ bytesWritten }) => bytesWritten === size,
          () => false,
        )
      );
    await ballast.close();
    await expect(writeFile(join(data, 'one-byte'), 'x')).rejects.toThrow('ENOSPC');
    const signedIn = await app.call<{ access_token: string }>('POST', '/api/auth/login', {
      body: { username: 'admin', password: adminPassword },
    });
    expect(signedIn.status).toBe(200);
    const token = signedIn.body.access_token;
    expect((await app.call('GET', '/api/system/disk', { token })).status).toBe(200);
    expect((await app.call('DELETE', `${path}/${body.id}`, { token })).status).toBe(200);
    expect((await app.call<{ total: number }>('GET', path, { token })).body.total).toBe(0);
  } finally {
    await rm(join(data, 'ballast'), { force: true });
    await app?.stop();
    await unmount({ lazy: true });
    await rm(directory, { recursive: true, force: true });
  }
});
