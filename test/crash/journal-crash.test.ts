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

/** Two dozen crashes, each of four operations at once. */
const maxDrillMs = 6 * patienceMs;

let directory: string;
let app: App;
/** The saves that each operation makes before the crash of the current manager. */
let savesEach = Number.POSITIVE_INFINITY;
let crash = Promise.withResolvers<void>();
/** By operation: resolves when it has made them, and would make another. */
let atCrash = new Map<string, PromiseWithResolvers<'crashed'>>();

const momentOf = (id: string): PromiseWithResolvers<'crashed'> => {
  const moment = atCrash.get(id) ?? Promise.withResolvers();
  atCrash.set(id, moment);
  return moment;
};

/** Each operation waits before the save that it doesn't survive. After the crash nothing is saved until the next manager starts. */
function mortal(journal: OperationJournal): OperationJournal {
  const saves = new Map<string, number>();
  let alive = true;
  const crashed = crash.promise.then(() => {
    alive = false;
  });
  return {
    ...journal,
    async save(record) {
      const made = saves.get(record.id) ?? 0;
      if (made >= savesEach) {
        momentOf(record.id).resolve('crashed');
        await crashed;
      }
      if (!alive) throw new Error('The manager crashed');
      saves.set(record.id, made + 1);
      await journal.save(record);
    },
  };
}

const start = async (): Promise<void> => {
  savesEach = Number.POSITIVE_INFINITY;
  crash = Promise.withResolvers();
  atCrash = new Map();
  app = await startApp({ directory, wrapJournal: mortal });
};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-journal-crash-'));
  await start();
  // An operation that waits for the crash keeps its place.
  const { status } = await app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: '4' } });
  expect(status).toBe(200);
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

/** One kind of operation, on a tenant of its own repository. */
interface Kind {
  what: string;
  /** Makes what the next operation needs; returns how to start it, with its id. */
  prepare(number: number): Promise<() => Promise<string>>;
  /** Checks how an operation that crashed has ended under the next manager. */
  check(end: DeploymentAnswer): Promise<void>;
  /** Removes the tenant. */
  remove(): Promise<void>;
  /** A journal with fewer saves would leave moments untested. */
  minSaves: number;
}

/**
 * Starts an operation of each kind, crashes all of them instead of the save after the given number, and starts the next manager.
 * @returns the kinds whose operation crashed, with its end under the next manager
 */
async function crashIn(saves: number, kinds: Kind[]): Promise<[Kind, DeploymentAnswer][]> {
  const starts = await Promise.all(kinds.map((kind) => kind.prepare(saves)));
  savesEach = saves;
  const operations = await Promise.all(
    starts.map(async (begin, at) => {
      const id = await begin();
      return { id, kind: kinds[at] as Kind, end: await Promise.race([momentOf(id).promise, endOf(app, id)]) };
    }),
  );
  const crashed = operations.filter(({ end }) => end === 'crashed');
  crash.resolve();
  await app.stop();
  await start();
  return Promise.all(crashed.map(async ({ id, kind }) => [kind, await endOf(app, id)] as [Kind, DeploymentAnswer]));
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

/** A repository and a tenant of it. */
async function tenantOf(what: string): Promise<{
  repository: FixtureRepository;
  tenant: TenantAnswer;
  /** A version of its own, so that there is something to build. */
  newVersion(number: number): Promise<{ tag: string; commit: string }>;
}> {
  const repository = await makeFixtureRepository(join(directory, what));
  return {
    repository,
    tenant: await makeTenant(app, repository.path),
    async newVersion(number) {
      const tag = `v2.0.${number}`;
      return { tag, commit: await repository.release(tag, { 'NEWS.md': `${tag}\n` }) };
    },
  };
}

async function deployedTenantOf(what: string): ReturnType<typeof tenantOf> {
  const made = await tenantOf(what);
  expect((await deploy(app, made.tenant.id, { target_version: 'v1.0.0' })).status).toBe('success');
  return made;
}

async function remove(tenant: TenantAnswer): Promise<void> {
  await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  expect(await processUnitsOf(tenant.slug)).toEqual([]);
}

const statusOf = async ({ id }: TenantAnswer): Promise<string> => (await getTenant(app, id)).status;

/** Complete or removed. */
async function firstDeployments(): Promise<Kind> {
  const { repository, tenant: first, newVersion } = await tenantOf('first-deployments');
  let [tenant, commit] = [first, ''];
  return {
    what: 'a first deployment',
    async prepare(number) {
      if (number > 0) {
        await remove(tenant);
        tenant = await makeTenant(app, repository.path);
      }
      const version = await newVersion(number);
      commit = version.commit;
      return () => askDeploy(app, tenant.id, { target_version: version.tag });
    },
    async check({ status }) {
      expect(['success', 'failed']).toContain(status);
      await expectUnits(app, tenant, status === 'success' ? commit : null, processUnitsOf);
      expect(await statusOf(tenant)).toBe(status === 'success' ? 'running' : 'error');
    },
    remove: () => remove(tenant),
    minSaves: 15,
  };
}

/** Complete or rolled back. */
async function redeployments(): Promise<Kind> {
  const { repository, tenant, newVersion } = await deployedTenantOf('redeployments');
  let [running, next] = [repository.commits['v1.0.0'] ?? '', ''];
  return {
    what: 'a redeployment',
    async prepare(number) {
      const { tag, commit } = await newVersion(number);
      next = commit;
      return () => askDeploy(app, tenant.id, { target_version: tag });
    },
    async check({ status }) {
      expect(['success', 'failed']).toContain(status);
      if (status === 'success') running = next;
      await expectUnits(app, tenant, running, processUnitsOf);
      expect(await statusOf(tenant)).toBe('running');
    },
    remove: () => remove(tenant),
    minSaves: 15,
  };
}

/** Resumes and succeeds. */
async function upgrades(): Promise<Kind> {
  const { tenant, newVersion } = await deployedTenantOf('upgrades');
  const people = inTenant(tenant, 'INSERT INTO persons VALUES (1), (2), (3)');
  let next = '';
  return {
    what: 'an upgrade',
    async prepare(number) {
      const { tag, commit } = await newVersion(number);
      next = commit;
      return () => ask(tenant, 'upgrade', { target_version: tag, backup_db: true });
    },
    async check({ status, error }) {
      expect([status, error]).toEqual(['success', null]);
      await expectUnits(app, tenant, next, processUnitsOf);
      expect(await statusOf(tenant)).toBe('running');
      expect(inTenant(tenant)).toBe(people);
    },
    remove: () => remove(tenant),
    minSaves: 15,
  };
}

/** Ends with the data of either side. */
async function restores(): Promise<Kind> {
  const { repository, tenant } = await deployedTenantOf('restores');
  inTenant(tenant, 'INSERT INTO persons VALUES (1), (2), (3)');
  const backup = await app.call<{ id: string }>('POST', `/api/tenants/${tenant.id}/backups`);
  return {
    what: 'a restore',
    async prepare() {
      inTenant(tenant, 'DELETE FROM persons WHERE id > 1');
      return () => ask(tenant, `backups/${backup.body.id}/restore`);
    },
    async check({ status }) {
      expect(inTenant(tenant)).toBe(status === 'success' ? 3 : 1);
      await expectUnits(app, tenant, repository.commits['v1.0.0'] ?? '', processUnitsOf);
      expect(await statusOf(tenant)).toBe('running');
    },
    remove: () => remove(tenant),
    minSaves: 10,
  };
}

test(
  'operations of every kind, crashed before each save of their journals, resume, or are undone',
  async () => {
    let kinds: Kind[] = await Promise.all([firstDeployments(), redeployments(), upgrades(), restores()]);
    for (let saves = 0; kinds.length > 0; saves += 1) {
      const crashed = await crashIn(saves, kinds);
      for (const [{ what, check }, end] of crashed) {
        await check(end).catch((cause) => {
          throw new Error(`${what}, crashed after ${saves} saves: ${cause.message}`, { cause });
        });
      }
      const left = crashed.map(([kind]) => kind);
      for (const { what, minSaves, remove } of kinds.filter((kind) => !left.includes(kind))) {
        await remove();
        expect([what, saves > minSaves]).toEqual([what, true]);
      }
      kinds = left;
    }
  },
  maxDrillMs,
);
