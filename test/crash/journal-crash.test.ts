import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OperationJournal } from '../../src/lib/operations/operation.ts';
import { type App, startApp } from '../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../harness/data/fixture-repository.ts';
import {
  askDeploy,
  type DeploymentAnswer,
  databaseFileIn,
  deploy,
  endOf,
  getTenant,
  makeTenant,
  type TenantAnswer,
} from '../harness/data/tenants.ts';
import { patienceMs } from '../harness/patience.ts';
import { processUnitsOf } from './drills/process-units.ts';
import { expectUnits } from './drills/tenant-state.ts';

/** Two dozen operations, each with a new manager. */
const maxDrillMs = 6 * patienceMs;

let directory: string;
let repository: FixtureRepository;
let app: App;
let crash = Promise.withResolvers<'crashed'>();
/** How many more saves the journal of the current manager makes. */
let savesLeft = Number.POSITIVE_INFINITY;

/** Fails as a crash would: when no saves are left, nothing is saved until the next manager starts. */
function mortal(journal: OperationJournal): OperationJournal {
  let alive = true;
  return {
    ...journal,
    async save(record) {
      if (alive && savesLeft === 0) {
        alive = false;
        crash.resolve('crashed');
      }
      if (!alive) throw new Error('The manager crashed');
      savesLeft -= 1;
      await journal.save(record);
    },
  };
}

const start = async (): Promise<void> => {
  savesLeft = Number.POSITIVE_INFINITY;
  crash = Promise.withResolvers();
  app = await startApp({ directory, wrapJournal: mortal });
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-journal-crash-'));
  repository = await makeFixtureRepository(join(directory, 'repository'));
  await start();
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

/**
 * Starts an operation that crashes instead of the save after the given number of them, and starts the next manager.
 * @param begin starts it and returns its id
 * @returns its end under the next manager; undefined when it ended before
 */
async function crashIn(saves: number, begin: () => Promise<string>): Promise<DeploymentAnswer | undefined> {
  savesLeft = saves;
  const id = await begin();
  const end = await Promise.race([crash.promise, endOf(app, id)]);
  if (end !== 'crashed') {
    savesLeft = Number.POSITIVE_INFINITY;
    return undefined;
  }
  await app.stop();
  await start();
  return endOf(app, id);
}

/** Starts an operation without waiting for its end; returns its id. */
async function ask(tenant: TenantAnswer, path: string, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await app.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/${path}?wait=false`, {
    body,
  });
  if (answer.status !== 202) throw new Error(`${path} was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.deployment_id;
}

/** Runs a statement in the tenant's database, in a process of its own, like the tenant's; returns the number of persons. */
function inTenant({ slug }: TenantAnswer, statement = ''): number {
  const path = databaseFileIn(join(directory, 'data', 'tenants', slug, 'data'));
  const script = `const database = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
    database.exec(process.argv[2]);
    console.log(database.prepare('SELECT COUNT(*) AS n FROM persons').get().n)`;
  return Number(execFileSync(process.execPath, ['--no-warnings', '-e', script, path, statement]));
}

/** A version of its own, so that there is something to build. */
async function newVersion(number: number): Promise<{ tag: string; commit: string }> {
  const tag = `v2.0.${number}`;
  return { tag, commit: await repository.release(tag, { 'NEWS.md': `${tag}\n` }) };
}

test(
  'a first deployment, crashed before each save of the journal, is complete or removed',
  async () => {
    for (let saves = 0; ; saves += 1) {
      const tenant = await makeTenant(app, repository.path);
      const { tag, commit } = await newVersion(saves);
      const end = await crashIn(saves, () => askDeploy(app, tenant.id, { target_version: tag }));
      if (end) {
        const { status } = end;
        expect(['success', 'failed']).toContain(status);
        await expectUnits(app, tenant, status === 'success' ? commit : null, processUnitsOf);
        expect((await getTenant(app, tenant.id)).status).toBe(status === 'success' ? 'running' : 'error');
      }
      await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
      expect(await processUnitsOf(tenant.slug)).toEqual([]);
      if (!end) return expect(saves).toBeGreaterThan(15);
    }
  },
  maxDrillMs,
);

test(
  'a redeployment, crashed before each save of the journal, is complete or rolled back',
  async () => {
    const tenant = await makeTenant(app, repository.path);
    expect((await deploy(app, tenant.id, { target_version: 'v1.0.0' })).status).toBe('success');
    let running = repository.commits['v1.0.0'] ?? '';
    for (let saves = 0; ; saves += 1) {
      const { tag, commit } = await newVersion(100 + saves);
      const end = await crashIn(saves, () => askDeploy(app, tenant.id, { target_version: tag }));
      if (!end) {
        await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
        return expect(saves).toBeGreaterThan(15);
      }
      const { status } = end;
      expect(['success', 'failed']).toContain(status);
      if (status === 'success') running = commit;
      await expectUnits(app, tenant, running, processUnitsOf);
      expect((await getTenant(app, tenant.id)).status).toBe('running');
    }
  },
  maxDrillMs,
);

test(
  'an upgrade, crashed before each save of the journal, resumes and succeeds',
  async () => {
    const tenant = await makeTenant(app, repository.path);
    expect((await deploy(app, tenant.id, { target_version: 'v1.0.0' })).status).toBe('success');
    const people = inTenant(tenant, 'INSERT INTO persons VALUES (1), (2), (3)');
    for (let saves = 0; ; saves += 1) {
      const { tag, commit } = await newVersion(200 + saves);
      const end = await crashIn(saves, () => ask(tenant, 'upgrade', { target_version: tag, backup_db: true }));
      if (!end) {
        await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
        return expect(saves).toBeGreaterThan(15);
      }
      expect([end.status, end.error]).toEqual(['success', null]);
      await expectUnits(app, tenant, commit, processUnitsOf);
      expect((await getTenant(app, tenant.id)).status).toBe('running');
      expect(inTenant(tenant)).toBe(people);
    }
  },
  maxDrillMs,
);

test(
  'a restore, crashed before each save of the journal, ends with the data of either side, and the tenant running',
  async () => {
    const tenant = await makeTenant(app, repository.path);
    expect((await deploy(app, tenant.id, { target_version: 'v1.0.0' })).status).toBe('success');
    inTenant(tenant, 'INSERT INTO persons VALUES (1), (2), (3)');
    const backup = await app.call<{ id: string }>('POST', `/api/tenants/${tenant.id}/backups`);
    for (let saves = 0; ; saves += 1) {
      inTenant(tenant, 'DELETE FROM persons WHERE id > 1');
      const end = await crashIn(saves, () => ask(tenant, `backups/${backup.body.id}/restore`));
      if (!end) {
        await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
        return expect(saves).toBeGreaterThan(10);
      }
      expect(inTenant(tenant)).toBe(end.status === 'success' ? 3 : 1);
      await expectUnits(app, tenant, repository.commits['v1.0.0'] ?? '', processUnitsOf);
      expect((await getTenant(app, tenant.id)).status).toBe('running');
    }
  },
  maxDrillMs,
);
