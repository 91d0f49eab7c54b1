import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import { makeContactsRepository } from '../../examples/contacts/make-repository.ts';
import { type ManagerProcess, makeManagerProcess } from '../harness/app/manager-process.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../harness/data/tenants.ts';
import { describeWithEngine } from '../harness/engine/engine.ts';
import { sampled } from '../harness/exhaustive.ts';
import { killWhen, stepBegins } from './drills/kill-in-step.ts';

interface BackupAnswer {
  id: string;
  status: string;
  backup_path: string;
}

const rows = 30_000;

describeWithEngine('kill -9 of the manager while it backs up and restores, MariaDB on Docker', () => {
  const docker = new Docker();
  let directory: string;
  let manager: ManagerProcess;
  let tenant: TenantAnswer;
  let backup: BackupAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-backup-crash-docker-'));
    const contacts = await makeContactsRepository(join(directory, 'contacts'));
    manager = await makeManagerProcess({ RUNTIME: 'docker' });
    await manager.start();
    const slug = `crash-${Date.now().toString(36)}`;
    const names = { name: slug, slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org` };
    const made = await manager.call<TenantAnswer>('POST', '/api/tenants', {
      body: { ...names, git_repo: contacts.path },
    });
    await manager.call('POST', `/api/tenants/${made.body.id}/deploy`, { body: { target_version: 'v1.0.0' } });
    tenant = made.body;
    expect(await ended()).toMatchObject({ status: 'success', error: null });
    await asTenant(async (connection) => {
      await connection.query('CREATE TABLE marks (id INT PRIMARY KEY, filler VARCHAR(500))');
      await connection.query(`INSERT INTO marks SELECT seq, REPEAT(MD5(seq), 12) FROM seq_1_to_${rows}`);
    });
    backup = (await manager.call<BackupAnswer>('POST', `/api/tenants/${tenant.id}/backups`)).body;
    expect(backup.status).toBe('complete');
  });
  afterAll(async () => {
    const removed = await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    const exit = await manager.stop();
    await manager.remove();
    await rm(directory, { recursive: true, force: true });
    expect([removed.status, exit]).toEqual([200, 0]);
  });

  /** With the tenant's own account, without the manager. */
  async function asTenant<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const environment = await readFile(join(manager.directory, 'data', 'tenants', tenant.slug, '.env'), 'utf8');
    const url = new URL(/^DATABASE_URL="?([^"\n]+)/m.exec(environment)?.[1] ?? '');
    const info = await docker.getContainer(`${tenant.slug}-db`).inspect();
    const connection = await createConnection({
      host: '127.0.0.1',
      port: Number(info.NetworkSettings.Ports['3306/tcp']?.[0]?.HostPort),
      user: url.username,
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
    });
    try {
      return await work(connection);
    } finally {
      await connection.end();
    }
  }
  const ask = (statement: string): Promise<string[]> =>
    asTenant(async (connection) => {
      const [found] = await connection.query<RowDataPacket[]>(statement);
      return found.map((row) => String(Object.values(row)[0]));
    });
  const count = async (): Promise<number> => Number((await ask('SELECT COUNT(*) FROM marks'))[0]);

  async function latest(): Promise<DeploymentAnswer & { kind: string }> {
    const { body } = await manager.call<{ deployments: { id: string }[] }>(
      'GET',
      `/api/tenants/${tenant.id}/deployments`,
    );
    return (
      await manager.call<DeploymentAnswer & { kind: string }>('GET', `/api/deployments/${body.deployments[0]?.id}`)
    ).body;
  }
  const ended = () => until(latest, ({ status }) => !['queued', 'running'].includes(status));

  /** Sends a request, kills the manager at a step of it, and starts the next. */
  async function killAt(path: string, { step, delayMs }: { step?: string; delayMs: number }): Promise<void> {
    const before = (await latest()).id;
    const asked = manager.call('POST', path, { body: {} }).catch(() => undefined);
    if (step) {
      const { id } = await until(latest, (found) => found.id !== before);
      await killWhen(manager, id, { shows: stepBegins(step), delayMs });
    } else {
      await sleep(delayMs);
      await manager.kill();
    }
    await asked;
    await manager.start();
  }

  /** After any kill: the tenant runs, files match the catalogue, and nothing is left over. */
  afterEach(async () => {
    await until(
      () => ask("SHOW DATABASES LIKE 'tntscratch%'"),
      (names) => names.length === 0,
    );
    const health = await until(
      () => manager.call('POST', `/api/tenants/${tenant.id}/health-check`),
      ({ body }) => body.overall_status === 'healthy',
    );
    expect(health.body.overall_status).toBe('healthy');
    expect((await manager.call<TenantAnswer>('GET', `/api/tenants/${tenant.id}`)).body.status).toBe('running');
    const { body } = await manager.call<{ backups: BackupAnswer[] }>(
      'GET',
      `/api/tenants/${tenant.id}/backups?limit=500`,
    );
    expect(body.backups.map(({ status }) => status)).not.toContain('creating');
    const found = await readdir(join(manager.directory, 'data', 'backups'), { recursive: true, withFileTypes: true });
    const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const complete = body.backups.filter(({ status }) => status === 'complete');
    expect(files.sort()).toEqual(complete.map(({ backup_path }) => backup_path).sort());
    const jobs = await docker.listContainers({ all: true, filters: { name: [`${tenant.slug}-job`] } });
    expect(jobs).toEqual([]);
  });

  test.each(sampled('Docker backup', 1, [50, 900]))(
    'a backup killed after %i ms is completed at the next start or leaves nothing',
    async (delayMs) => {
      await killAt(`/api/tenants/${tenant.id}/backups`, { delayMs });
      expect(['success', 'failed']).toContain((await ended()).status);
    },
  );

  test.each(
    sampled('Docker restore', 2, [
      ['Check backup', 0],
      ['Stop services', 0],
      ['Safety backup', 200],
      ['Restore database', 300],
      ['Restore files', 0],
      ['Start services', 0],
      ['Health check', 0],
    ] as const),
  )('a restore killed at “%s” + %i ms ends with the data of either side', async (step, delayMs) => {
    await asTenant((connection) => connection.query('DELETE FROM marks WHERE id > 7'));
    const path = `/api/tenants/${tenant.id}/backups/${backup.id}/restore`;
    await killAt(path, { step, delayMs });
    const { status } = await ended();
    expect(await count()).toBe(status === 'success' ? rows : 7);
  });

  test.each([300])('a restore drill killed after %i ms leaves no scratch database', async (delayMs) => {
    const before = await count();
    await killAt(`/api/tenants/${tenant.id}/backups/${backup.id}/verify`, { delayMs });
    await ended();
    expect(await count()).toBe(before);
  });

  test.each([['Run migrations on a copy', 600]])(
    'a rehearsal killed at “%s” + %i ms is completed at the next start, and the tenant unchanged',
    async (step, delayMs) => {
      const before = [await count(), ...(await ask('SHOW TABLES'))];
      await killAt(`/api/tenants/${tenant.id}/upgrade?rehearse=true`, { step, delayMs });
      expect(await ended()).toMatchObject({ kind: 'rehearsal', status: 'success' });
      expect([await count(), ...(await ask('SHOW TABLES'))]).toEqual(before);
    },
  );
});
