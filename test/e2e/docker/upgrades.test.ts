import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { addRelease, makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { countPeople, importList, listOf } from '../../harness/data/contacts.ts';
import { deploy, getTenant, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

const people = 10_000;
const tables = ['persons', 'person_keys', 'tags', 'person_tags', 'events', 'communications', 'users'];

/** Corrupts the people; a later failure must roll that back. */
const vandalize = (end: string) => `
import { migrate } from '../shared/migration.js';
await migrate(async ({ database }) => {
  await database.run("UPDATE persons SET last_name = 'Nobody'");
  await database.run('DELETE FROM persons WHERE first_name < ?', ['First5']);
  await database.run('CREATE TABLE vandals (id INTEGER)');
  ${end}
});
`;
const healthOf500 = `export const healthCheck = () => (c) => c.json({ status: 'unhealthy' }, 500);\n`;

/** The content of the tenant's database: rows by table, and a checksum over some columns of all people. */
interface Contents {
  counts: Record<string, number>;
  columns: string[];
  checksum: string;
}

// Ten thousand people, valid and all kinds of invalid ones, on one tenant.
describeWithEngine('upgrades of the sample application, Docker and MariaDB', () => {
  let directory: string;
  let repository: string;
  let app: App;
  let tenant: TenantAnswer;
  let manifest: string;
  let before: Contents;
  let number = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-upgrade-contacts-'));
    repository = (await makeContactsRepository(join(directory, 'contacts'))).path;
    manifest = await readFile(join(repository, 'tenant.yaml'), 'utf8');
    app = await startApp({ environment: { RUNTIME: 'docker' }, healthTimeoutMs: 15_000 });
    const { id } = await makeTenant(app, repository);
    expect(await deploy(app, id, { target_version: 'v1.0.0' })).toMatchObject({ status: 'success', error: null });
    tenant = await getTenant(app, id);
    const loaded = await importList(app, id, Readable.from(listOf(people)));
    expect(loaded).toMatchObject({ imported: people, failed: 0 });
    before = await contents();
    expect(before.counts.persons).toBe(people);
  });
  afterAll(async () => {
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    const { runtime } = app.manager.app;
    await runtime.removeReleasesExcept(new Set());
    const left = (await runtime.list()).map(({ name }) => name);
    await app.stop();
    await rm(directory, { recursive: true, force: true });
    expect(left).toEqual([]);
  });

  async function query(statement: string): Promise<Record<string, unknown>[]> {
    const { DATABASE_URL = '' } = parseEnv(await readFile(join(tenant.directory, '.env'), 'utf8'));
    const { username, password, pathname } = new URL(DATABASE_URL);
    const space = spaceOf(await app.manager.app.tenants.get(tenant.id));
    const connection = await createConnection({
      ...(await app.manager.app.runtime.databaseServers?.address(space)),
      user: username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
    });
    try {
      return (await connection.query(statement))[0] as Record<string, unknown>[];
    } finally {
      await connection.end();
    }
  }

  /** @param columns of people; all by default */
  async function contents(columns?: readonly string[]): Promise<Contents> {
    const counts: Contents['counts'] = {};
    for (const table of tables) counts[table] = Number((await query(`SELECT COUNT(*) AS n FROM ${table}`))[0]?.n);
    const rows = await query('SELECT * FROM persons ORDER BY id');
    const named = columns ?? Object.keys(rows[0] ?? {});
    const hash = createHash('sha256');
    for (const row of rows) hash.update(JSON.stringify(named.map((name) => row[name])));
    return { counts, columns: [...named], checksum: hash.digest('hex') };
  }

  const upgrade = (body: Record<string, unknown> = {}) =>
    app.call<Record<string, unknown> & { detail: string; details: string[]; migrations_run: string[] }>(
      'POST',
      `/api/tenants/${tenant.id}/upgrade`,
      { body },
    );

  async function assertHealthyAt(version: string): Promise<void> {
    const health = await app.call('POST', `/api/tenants/${tenant.id}/health-check`);
    expect(health.body.overall_status).toBe('healthy');
    const answer = await fetch(`http://127.0.0.1:${tenant.backend_port}/api/health`);
    expect(await answer.json()).toMatchObject({ status: 'healthy', version });
    const { body } = await app.call('GET', `/api/tenants/${tenant.id}/version`);
    expect(body).toMatchObject({ deployed_version: version });
    expect((await getTenant(app, tenant.id)).status).toBe('running');
    expect(await app.manager.app.runtime.pendingChanges()).toEqual([]);
  }

  /** Sends requests repeatedly, and returns the longest outage, in ms. */
  function watchAway(port: number): () => Promise<number> {
    let [watching, longest, since] = [true, 0, performance.now()];
    const look = async (): Promise<void> => {
      while (watching) {
        const signal = AbortSignal.timeout(2_000);
        const answer = await fetch(`http://127.0.0.1:${port}/`, { signal }).catch(() => undefined);
        await answer?.body?.cancel();
        const now = performance.now();
        if (answer && answer.status < 500) {
          longest = Math.max(longest, now - since);
          since = now;
        }
        await sleep(10);
      }
    };
    const looked = look();
    return async () => {
      watching = false;
      await looked;
      return Math.round(longest);
    };
  }

  test('to v1.1.0 with its migration: keeps everybody', async () => {
    const watches = [tenant.backend_port, tenant.frontend_port].map(watchAway);
    const { status, body } = await upgrade();
    const [api, frontend] = await Promise.all(watches.map((end) => end()));
    expect([status, body]).toEqual([200, expect.objectContaining({ status: 'success', new_version: 'v1.1.0' })]);
    process.stdout.write(
      `away during the upgrade: api ${api} ms, frontend ${frontend} ms\n${body.details.join('\n')}\n`,
    );
    expect(body.migrations_run.at(-1)).toBe('scripts/add_person_last_contacted.js');
    expect(await contents(before.columns)).toEqual(before);
    expect((await contents()).columns).toContain('last_contacted_at');
    expect(await countPeople(app, tenant.id)).toBe(people);
    await assertHealthyAt('v1.1.0');
  });

  test.each<[string, Record<string, string>, string]>([
    ['migration fails', { 'scripts/vandalize.js': vandalize("throw new Error('no such column');") }, 'Run migrations'],
    ['api crashes', { 'api/server.js': "console.error('cannot reach the moon'); process.exit(3);\n" }, 'Health check'],
    ['health answers 500', { 'api/health.js': healthOf500 }, 'Health check'],
    ['build fails', { Dockerfile: 'FROM node:24-bookworm-slim AS api\nRUN exit 9\nFROM api AS frontend\n' }, 'Prepare'],
  ])('to a version whose %s: rolled back, healthy, with everybody', async (what, files, step) => {
    const healthy = await contents();
    number += 1;
    const version = `v1.2.${number}`;
    const install = what === 'build fails' ? 'exit 9' : 'npm ci --omit=dev --no-audit --no-fund';
    await promisify(execFile)('git', ['-C', repository, 'checkout', '--quiet', 'v1.1.0', '--', '.']);
    await addRelease(repository, version, {
      'scripts/vandalize.js': vandalize(''),
      'tenant.yaml': manifest
        .replace(/^install: .*$/m, `install: ${install}`)
        .replace(/^checks:$/m, '    - vandalize\n$&'),
      ...files,
    });
    const { status, body } = await upgrade({ target_version: version });
    expect([status, body]).toEqual([502, expect.objectContaining({ code: 'upgrade_failed' })]);
    expect(body.detail).toContain(`to ${version} failed: ${step}: `);
    expect(body.detail).toContain(step === 'Prepare' ? 'Nothing was changed' : 'Rolled back');
    expect(await contents()).toEqual(healthy);
    expect(await query(`SELECT * FROM persons WHERE last_name = 'Nobody'`)).toEqual([]);
    await expect(query('SELECT * FROM vandals')).rejects.toThrow();
    await assertHealthyAt('v1.1.0');
  });
});
