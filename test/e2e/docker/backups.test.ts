import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { createConnection } from 'mysql2/promise';
import { pack } from 'tar-stream';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, importSupporters, supporters } from '../../harness/data/contacts.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

interface BackupAnswer {
  id: string;
  row_counts: Record<string, number>;
  backup_path: string;
  drill: { ok: boolean; differences: string[] };
}

describeWithEngine('backups on Docker', () => {
  const docker = new Docker();
  let directory: string;
  let app: App;
  let contacts: string;
  let fixture: string;
  /** Of the sample application, with people. */
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-docker-backups-'));
    contacts = (await makeContactsRepository(join(directory, 'contacts'))).path;
    fixture = (await makeFixtureRepository(join(directory, 'fixture'))).path;
    app = await startApp({ environment: { RUNTIME: 'docker' }, healthTimeoutMs: 30_000 });
    tenant = await deployed(contacts);
    await importSupporters(app, tenant.id);
  });
  afterAll(async () => {
    const { runtime } = app.manager.app;
    const { body } = await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500');
    for (const { id } of body.tenants) await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await runtime.removeReleasesExcept(new Set());
    const left = (await runtime.list()).map(({ name }) => name);
    await app.stop();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  async function deployed(repository: string): Promise<TenantAnswer> {
    const { id } = await makeTenant(app, repository);
    expect(await deploy(app, id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success', error: null });
    return getTenant(app, id);
  }
  async function call<T = BackupAnswer>(method: string, path: string, expected: number, body?: object): Promise<T> {
    const answer = await app.call<T>(method, path, body ? { body } : {});
    expect([answer.status, answer.body]).toEqual([expected, expect.anything()]);
    return answer.body;
  }

  /** Puts a file among the application's own, and lists all by name. */
  async function put(of: TenantAnswer, name: string, content: string): Promise<void> {
    const archive = pack();
    archive.entry({ name: 'uploads', type: 'directory', mode: 0o755 });
    archive.entry({ name: `uploads/${name}` }, content);
    archive.finalize();
    const space = spaceOf(await app.manager.app.tenants.get(of.id));
    await app.manager.app.runtime.data.write(space, archive as AsyncIterable<Uint8Array>, AbortSignal.timeout(60_000));
  }
  async function inApi(of: TenantAnswer, ...argv: string[]): Promise<string> {
    const exec = await docker
      .getContainer(`${of.slug}-api`)
      .exec({ Cmd: argv, AttachStdout: true, AttachStderr: true, Tty: true });
    const chunks: Buffer[] = [];
    for await (const chunk of await exec.start({ Tty: true })) chunks.push(Buffer.from(chunk as Buffer));
    return Buffer.concat(chunks).toString().trim();
  }

  test('a MariaDB container: backed up while it runs, verified, restored with its files, also into another tenant', async () => {
    await put(tenant, 'photo.jpg', 'a photo');
    const backup = await call('POST', `/api/tenants/${tenant.id}/backups`, 201);
    expect(backup.row_counts).toMatchObject({ persons: supporters.people });
    expect((await stat(backup.backup_path)).mode & 0o777).toBe(0o600);
    const verified = await call('POST', `/api/tenants/${tenant.id}/backups/${backup.id}/verify`, 200);
    expect(verified.drill).toMatchObject({ ok: true, differences: [] });

    const { runtime, tenants } = app.manager.app;
    const space = spaceOf(await tenants.get(tenant.id));
    const address = await runtime.databaseServers?.address(space);
    const [, , url = ''] = /^(DATABASE_URL)=(\S+)/m.exec(await inApi(tenant, 'env')) ?? [];
    const { username, password, pathname } = new URL(url.trim());
    const connection = await createConnection({
      host: address?.host ?? '',
      port: address?.port ?? 0,
      user: username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
    });
    await connection.query('SET FOREIGN_KEY_CHECKS = 0');
    await connection.query('DELETE FROM persons');
    await connection.query('CREATE TABLE later (id INT)');
    const [scratches] = await connection.query("SHOW DATABASES LIKE 'tntscratch%'");
    expect(scratches).toEqual([]);
    await connection.end();
    await put(tenant, 'photo.jpg', 'overwritten');
    await put(tenant, 'later.txt', 'later');
    await call('POST', `/api/tenants/${tenant.id}/backups/${backup.id}/restore`, 200, {});
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    expect(await inApi(tenant, 'ls', '/data/uploads')).toBe('photo.jpg');
    expect(await inApi(tenant, 'cat', '/data/uploads/photo.jpg')).toBe('a photo');
    expect(await inApi(tenant, 'stat', '-c', '%U', '/data/uploads/photo.jpg')).toBe('node');

    const other = await deployed(contacts);
    const body = { target_tenant_id: other.id };
    await call('POST', `/api/tenants/${tenant.id}/backups/${backup.id}/restore`, 200, body);
    expect(await countPeople(app, other.id)).toBe(supporters.people);
    expect((await getTenant(app, other.id)).status).toBe('running');
  });

  test('rehearses an upgrade on a copy of a MariaDB: reports the changes of its migrations, and changes nothing', async () => {
    const report = await call<{
      ok: boolean;
      schema_changes: { table: string; change: string; columns: object[]; indexes: object[] }[];
      row_counts: { table: string; before: number | null; after: number | null }[];
    }>('POST', `/api/tenants/${tenant.id}/upgrade?rehearse=true`, 200, { target_version: 'v1.1.0' });
    expect(report.ok).toBe(true);
    expect(report.schema_changes).toContainEqual(
      expect.objectContaining({
        table: 'persons',
        change: 'changed',
        columns: [
          { name: 'last_contacted_at', change: 'added', before: null, after: expect.stringMatching(/char\(24\)/i) },
        ],
      }),
    );
    expect(report.row_counts).toContainEqual({ table: 'persons', before: supporters.people, after: supporters.people });
    expect(
      (await call<{ deployed_version: string }>('GET', `/api/tenants/${tenant.id}/version`, 200)).deployed_version,
    ).toBe('v1.0.0');
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
    const again = await call<typeof report>('POST', `/api/tenants/${tenant.id}/upgrade?rehearse=true`, 200, {});
    expect(again.schema_changes).toEqual(report.schema_changes);
  });

  test('a MariaDB container stays up through stop, restart, backup and restore, and is removed with its tenant', async () => {
    const database = () => docker.getContainer(`${tenant.slug}-db`).inspect();
    const since = (await database()).State.StartedAt;
    const act = (what: string) => call('POST', `/api/tenants/${tenant.id}/${what}`, 200);
    await act('restart');
    await act('stop');
    expect((await database()).State).toMatchObject({ Running: true, StartedAt: since });
    const backup = await call('POST', `/api/tenants/${tenant.id}/backups`, 201);
    expect(backup.row_counts).toMatchObject({ persons: supporters.people });
    await call('POST', `/api/tenants/${tenant.id}/backups/${backup.id}/restore`, 200, {});
    expect((await getTenant(app, tenant.id)).status).toBe('stopped');
    expect((await database()).State).toMatchObject({ Running: true, StartedAt: since });
    await act('start');
    // A started server does not listen yet.
    await until(
      () => countPeople(app, tenant.id).catch(() => undefined),
      (people) => people === supporters.people,
    );

    // Stopped by hand, it starts again when an operation needs it.
    await docker.getContainer(`${tenant.slug}-db`).stop();
    await call('POST', `/api/tenants/${tenant.id}/backups/${backup.id}/restore`, 200, {});
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);

    await call('DELETE', `/api/tenants/${tenant.id}`, 200);
    await expect(database()).rejects.toThrow('404');
    const volume = docker.getVolume(`tenantry-${tenant.id}-db`);
    expect(await volume.inspect()).toMatchObject({ Labels: { 'org.tenantry.tenant': tenant.id } });
    const { Volumes: volumes } = await docker.listVolumes({ filters: { label: [`org.tenantry.tenant=${tenant.id}`] } });
    for (const { Name: name } of volumes) await docker.getVolume(name).remove();
  });

  test('SQLite in a volume: copied during a short pause of the services, verified, restored', async () => {
    const small = await deployed(fixture);
    const sql = (statements: string) =>
      inApi(
        small,
        'node',
        '-e',
        `const d = new (require('node:sqlite').DatabaseSync)(process.env.DATABASE_URL.replace('sqlite:', '')); console.log(JSON.stringify(d.prepare(${JSON.stringify(statements)}).all()))`,
      );
    await sql('PRAGMA journal_mode = WAL');
    await sql('INSERT INTO persons VALUES (1), (2), (3)');
    await put(small, 'photo.jpg', 'a photo');
    const backup = await call('POST', `/api/tenants/${small.id}/backups`, 201);
    expect(backup.row_counts).toEqual({ persons: 3 });
    const info = await docker.getContainer(`${small.slug}-api`).inspect();
    expect([info.State.Running, info.State.Paused]).toEqual([true, false]);
    const verified = await call('POST', `/api/tenants/${small.id}/backups/${backup.id}/verify`, 200);
    expect(verified.drill).toMatchObject({ ok: true, differences: [] });
    expect(await inApi(small, 'ls', '-A', '/data')).not.toContain('scratch');
    await sql('DELETE FROM persons');
    await put(small, 'photo.jpg', 'overwritten');
    await call('POST', `/api/tenants/${small.id}/backups/${backup.id}/restore`, 200, {});
    expect(await sql('SELECT COUNT(*) AS n FROM persons')).toContain('"n":3');
    expect(await inApi(small, 'cat', '/data/uploads/photo.jpg')).toBe('a photo');
    // The application may write to the restored files.
    await sql('INSERT INTO persons VALUES (4)');
    expect(await sql('SELECT COUNT(*) AS n FROM persons')).toContain('"n":4');
  });

  test('a row of many megabytes, lost volumes and removed images: all comes back', async () => {
    const tenant = await deployed(contacts);
    await importSupporters(app, tenant.id);
    const { databaseServers: servers, databases } = { ...app.manager.app.runtime, ...app.manager.app };
    expect(databases.has('mariadb-container')).toBe(true);
    const space = spaceOf(await app.manager.app.tenants.get(tenant.id));
    const sql = async (...statements: string[]): Promise<void> => {
      const url = new URL(
        /^DATABASE_URL=(.*)$/m.exec(await readFile(join(tenant.directory, '.env'), 'utf8'))?.[1] ?? '',
      );
      const connection = await createConnection({
        ...{ host: (await servers?.address(space))?.host ?? '', port: (await servers?.address(space))?.port ?? 0 },
        ...{ user: url.username, password: decodeURIComponent(url.password), database: url.pathname.slice(1) },
      });
      for (const statement of statements) await connection.query(statement);
      await connection.end();
    };
    // More than half of what a server accepts by default: twice as long in a dump.
    await sql('CREATE TABLE files (content LONGBLOB)', "INSERT INTO files VALUES (REPEAT('x', 12 * 1024 * 1024))");
    const backup = await call('POST', `/api/tenants/${tenant.id}/backups`, 201);
    await call('POST', `/api/tenants/${tenant.id}/backups/${backup.id}/verify`, 200);
    await sql('DELETE FROM files');
    await call('POST', `/api/tenants/${tenant.id}/backups/${backup.id}/restore`, 200, {});

    await call('POST', `/api/tenants/${tenant.id}/stop`, 200);
    const labelled = { filters: { label: [`org.tenantry.tenant=${tenant.id}`] } };
    const removeContainers = async (): Promise<void> => {
      for (const { Id } of await docker.listContainers({ all: true, ...labelled }))
        await docker.getContainer(Id).remove({ force: true });
    };
    await removeContainers();
    for (const { Name } of (await docker.listVolumes(labelled)).Volumes) await docker.getVolume(Name).remove();
    for (const [path, body] of [
      ['start', undefined],
      ['deploy', {}],
      ['upgrade', {}],
      ['backups', undefined],
    ] as const) {
      const refused = await app.call('POST', `/api/tenants/${tenant.id}/${path}`, body ? { body } : {});
      expect([path, refused.status, refused.body.code]).toEqual([path, 409, 'data_missing']);
      expect(refused.body.detail).toMatch(/the volume tenantry-.*-data does not exist\. Restore the newest backup/);
    }
    expect((await docker.listVolumes(labelled)).Volumes).toEqual([]);
    await until(
      () => call<{ items: { kind: string; tenant: { id: string } }[] }>('GET', '/api/attention', 200),
      ({ items }) => items[0]?.kind === 'data_missing' && items[0].tenant.id === tenant.id,
    );
    await call('POST', `/api/tenants/${tenant.id}/backups/${backup.id}/restore`, 200, {});
    await call('POST', `/api/tenants/${tenant.id}/start`, 200);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);

    await call('POST', `/api/tenants/${tenant.id}/stop`, 200);
    await removeContainers();
    const key = (await app.manager.app.tenants.get(tenant.id)).deployed?.key;
    for (const role of ['api', 'frontend']) await docker.getImage(`tenantry/${role}:${key}`).remove({ force: true });
    await call('POST', `/api/tenants/${tenant.id}/start`, 200);
    expect(await countPeople(app, tenant.id)).toBe(supporters.people);
  });
});
