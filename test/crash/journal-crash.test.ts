import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { OperationJournal } from '../../src/lib/operations/operation.ts';
import { type App, startApp } from '../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../harness/data/fixture-repository.ts';
import { askDeploy, deploy, endOf, getTenant, makeTenant, type TenantAnswer } from '../harness/data/tenants.ts';
import { processUnitsOf } from './drills/process-units.ts';
import { expectUnits } from './drills/tenant-state.ts';

/** Two dozen deployments, each with a new manager, on an overloaded machine. */
const maxDrillMs = 15 * 60_000;

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
 * Starts a deployment that crashes instead of the save after the given number of them, and starts the next manager.
 * @returns undefined when it ended before
 */
async function crashInDeployment(tenant: TenantAnswer, saves: number, version: string): Promise<string | undefined> {
  savesLeft = saves;
  const id = await askDeploy(app, tenant.id, { target_version: version });
  const end = await Promise.race([crash.promise, endOf(app, id)]);
  if (end !== 'crashed') {
    savesLeft = Number.POSITIVE_INFINITY;
    return undefined;
  }
  await app.stop();
  await start();
  return id;
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
      const id = await crashInDeployment(tenant, saves, tag);
      if (id) {
        const { status } = await endOf(app, id);
        expect(['success', 'failed']).toContain(status);
        await expectUnits(app, tenant, status === 'success' ? commit : null, processUnitsOf);
        expect((await getTenant(app, tenant.id)).status).toBe(status === 'success' ? 'running' : 'error');
      }
      await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
      expect(await processUnitsOf(tenant.slug)).toEqual([]);
      if (!id) return expect(saves).toBeGreaterThan(15);
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
      const id = await crashInDeployment(tenant, saves, tag);
      if (!id) {
        await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
        return expect(saves).toBeGreaterThan(15);
      }
      const { status } = await endOf(app, id);
      expect(['success', 'failed']).toContain(status);
      if (status === 'success') running = commit;
      await expectUnits(app, tenant, running, processUnitsOf);
      expect((await getTenant(app, tenant.id)).status).toBe('running');
    }
  },
  maxDrillMs,
);
