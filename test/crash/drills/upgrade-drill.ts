import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MakeManager, type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { sampled } from '../../harness/exhaustive.ts';
import { endOfDeployment, killWhen, stepBegins } from './kill-in-step.ts';

const steps = [
  'Prepare',
  'Stop services',
  'Back up database',
  'Fetch code',
  'Install dependencies',
  'Run migrations',
  'Start services',
  'Health check',
];
/** The log message at the start of the rollback. */
const goingBack = 'Run migrations failed';

/**
 * Half of the change first, the other half after a while: a kill in between leaves neither the old nor the new state.
 */
const migrate = (person: number, end: string) => `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.env.DATABASE_URL.replace('sqlite:', ''));
database.exec('CREATE TABLE IF NOT EXISTS persons (id INTEGER, name TEXT)');
if (process.argv[2] === 'first') database.exec('DELETE FROM persons WHERE id = ${person}; INSERT INTO persons VALUES (${person}, NULL)');
else setTimeout(() => { database.exec("UPDATE persons SET name = 'person ${person}' WHERE id = ${person}"); ${end} }, 250);
`;

/**
 * Kills the manager in every step of an upgrade, and in every step of the rollback, and checks how the next one
 * continues.
 */
export function upgradeDrill({
  environment,
  delaysMs,
  backDelaysMs,
  unitsOf,
  makeManager = makeManagerProcess,
  only,
}: {
  environment: Record<string, string>;
  /** How long after the start of a step the manager is killed. */
  delaysMs: readonly number[];
  /** How long after the start of the rollback it is killed. */
  backDelaysMs: readonly number[];
  /** What the runtime really has of a tenant, by name, sorted; read without the manager. */
  unitsOf(slug: string): Promise<string[]>;
  makeManager?: MakeManager;
  /** One moment of an upgrade that succeeds, unless all are tested. */
  only?: 'an upgrade' | undefined;
}): void {
  let directory: string;
  let repository: FixtureRepository;
  let manager: ManagerProcess;
  let tenant: TenantAnswer;
  let versions = 0;
  /** The expected state of the tenant. */
  let now: { version: string; people: string[] };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-upgrade-drill-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    const server = await readFile(join(repository.path, 'server.js'), 'utf8');
    const people = `
  const database = () => new (require('node:sqlite').DatabaseSync)(process.env.DATABASE_URL.replace('sqlite:', ''));
  if (path === '/people') return json(response, 200, database().prepare('SELECT * FROM persons ORDER BY id').all());
  if (path === '/add') return json(response, 200, database().prepare("INSERT INTO persons VALUES (1000, 'written during the restart')").run());
  if (path === '/docs')`;
    const answering = server.replace("if (path === '/docs')", people);
    await repository.release('v2.0.0', {
      // It runs for a while before it answers: long enough for a kill during the health check.
      'server.js': `setTimeout(() => {${answering}}, 500);`,
      'install.js': 'setTimeout(() => console.log("installed"), 300);\n',
      'migrate.js': migrate(0, ''),
    });
    manager = await makeManager(environment);
    await manager.start();
    const slug = `upgrade-${Date.now().toString(36)}`;
    const names = { name: slug, slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org` };
    const made = await manager.call<TenantAnswer>('POST', '/api/tenants', {
      body: { ...names, git_repo: repository.path },
    });
    tenant = made.body;
    const { body } = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`);
    expect(await endOfDeployment(manager, body.deployment_id)).toMatchObject({ status: 'success', error: null });
    now = { version: 'v2.0.0', people: ['person 0'] };
    await assertConsistent();
  });
  afterAll(async () => {
    await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    expect(await manager.stop()).toBe(0);
    await manager.remove();
    await rm(directory, { recursive: true, force: true });
    expect(await unitsOf(tenant.slug)).toEqual([]);
  });

  /** A version that adds a person. */
  async function newVersion(end: string): Promise<{ version: string; person: string }> {
    versions += 1;
    const version = `v2.0.${versions}`;
    await repository.release(version, { 'migrate.js': migrate(versions, end) });
    return { version, person: `person ${versions}` };
  }

  async function newest(): Promise<DeploymentAnswer & { kind: string }> {
    const path = `/api/tenants/${tenant.id}/deployments`;
    const { body } = await manager.call<{ deployments: (DeploymentAnswer & { kind: string })[] }>('GET', path);
    return body.deployments[0] as DeploymentAnswer & { kind: string };
  }

  /** Upgrades, kills the manager in the middle, starts it again, and returns the upgrade's result. */
  async function interrupted(version: string, shows: string, delayMs: number): Promise<DeploymentAnswer> {
    const before = (await newest()).id;
    const body = { target_version: version, backup_db: versions % 2 === 0 };
    const asked = manager.call('POST', `/api/tenants/${tenant.id}/upgrade`, { body }).catch(() => undefined);
    const { id } = await until(newest, (found) => found.id !== before);
    await killWhen(manager, id, { shows, delayMs });
    await asked;
    await manager.start();
    return endOfDeployment(manager, id);
  }

  const ask = async (path: string): Promise<unknown> =>
    (await fetch(`http://127.0.0.1:${tenant.backend_port}${path}`)).json();

  /** One version, once and complete, with its data, healthy; nothing else left. */
  async function assertConsistent(): Promise<void> {
    expect(await ask('/env')).toMatchObject({ APP_VERSION: now.version, APP_COMMIT: repository.commits[now.version] });
    expect(((await ask('/people')) as { name: string }[]).map(({ name }) => name)).toEqual(now.people);
    expect(await unitsOf(tenant.slug)).toEqual([`${tenant.slug}-api`, `${tenant.slug}-frontend`]);
    const health = await manager.call('POST', `/api/tenants/${tenant.id}/health-check`);
    expect(health.body.overall_status).toBe('healthy');
    expect((await manager.call<TenantAnswer>('GET', `/api/tenants/${tenant.id}`)).body.status).toBe('running');
    expect((await manager.call('GET', `/api/tenants/${tenant.id}/version`)).body).toMatchObject({
      deployed_version: now.version,
      deployed_commit: repository.commits[now.version],
    });
    const root = join(manager.directory, 'data', 'backups');
    const found = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
    const files = found.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    const { body } = await manager.call<{ backups: { status: string; backup_path: string }[] }>(
      'GET',
      `/api/tenants/${tenant.id}/backups?limit=500`,
    );
    expect(body.backups.map(({ status }) => status)).not.toContain('creating');
    const complete = body.backups.filter(({ status }) => status === 'complete');
    expect(complete.map(({ backup_path }) => backup_path).sort()).toEqual(files.sort());
  }

  const moments = steps.flatMap((step) => delaysMs.map((delayMs) => [step, delayMs] as const));
  test.each(sampled(`${environment.RUNTIME} upgrade`, only ? 1 : 2, moments))(
    'an upgrade killed at “%s” + %i ms resumes and succeeds',
    async (step, delayMs) => {
      const { version, person } = await newVersion('');
      const { status, error } = await interrupted(version, stepBegins(step), delayMs);
      // An interruption alone is no reason to fail a resumable upgrade.
      expect([status, error]).toEqual(['success', null]);
      now = { version, people: [...now.people, person] };
      await assertConsistent();
    },
  );

  if (only) return;

  test.each(sampled(`${environment.RUNTIME} way back`, 1, backDelaysMs))(
    'an upgrade whose migration fails, killed %i ms into the rollback, ends in the previous state',
    async (delayMs) => {
      const { version } = await newVersion('process.exit(7);');
      const { status, error } = await interrupted(version, goingBack, delayMs);
      expect([status, error?.step, error?.message]).toEqual([
        'failed',
        'Run migrations',
        'Migration second ended with exit code 7',
      ]);
      await assertConsistent();
    },
  );

  test('keeps what people write in the old version while the manager is down', async () => {
    const { version } = await newVersion('process.exit(7);');
    const before = (await newest()).id;
    const body = { target_version: version };
    const asked = manager.call('POST', `/api/tenants/${tenant.id}/upgrade`, { body }).catch(() => undefined);
    const { id } = await until(newest, (found) => found.id !== before);
    // The health check of the old version, the first after the data was restored, is running.
    await killWhen(manager, id, { shows: 'Not healthy yet', delayMs: 0 });
    await asked;
    await until(
      () => ask('/add').catch(() => undefined),
      (answer) => answer !== undefined,
    );
    await manager.start();
    expect(await endOfDeployment(manager, id)).toMatchObject({ status: 'failed', error: { step: 'Run migrations' } });
    now = { ...now, people: [...now.people, 'written during the restart'] };
    await assertConsistent();
  });
}
