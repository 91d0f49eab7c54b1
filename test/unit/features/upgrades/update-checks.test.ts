import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHostRule } from '../../../../src/adapters/git/host-rule.ts';
import { createGitSource, type Source } from '../../../../src/adapters/git/source.ts';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';
import { createUpdateChecks } from '../../../../src/features/upgrades/single/update-checks.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../../harness/data/fixture-repository.ts';

const logger = createLogger({ level: 'silent' });
let directory: string;
let repository: FixtureRepository;
let source: Source;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-updates-'));
  repository = await makeFixtureRepository(join(directory, 'repository'));
  source = createGitSource({
    directory: join(directory, 'sources'),
    secretKey: 'test',
    instance: 'test',
    host: process.env,
    hosts: createHostRule({ allowed: [] }),
    logger,
  });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const signal = new AbortController().signal;
const deployed = (version: string | null) => ({ version, commit: repository.commits['v1.0.0'] }) as Tenant['deployed'];

test('finds newer releases by one request a repository, and keeps the last answer of one that is away', async () => {
  const asked: string[] = [];
  const tenants = [
    { id: 'old', gitRepo: 'ours', deployed: deployed('v1.0.0') },
    { id: 'newest', gitRepo: 'ours', deployed: { ...deployed('v1.1.0'), commit: repository.commits['v1.1.0'] } },
    { id: 'branch', gitRepo: 'ours', deployed: deployed(null) },
    { id: 'broken', gitRepo: 'gone', deployed: deployed('v1.0.0') },
  ] as Tenant[];
  let addressOfOurs = repository.path;
  const checks = createUpdateChecks({
    tenants: {
      async *each() {
        yield* tenants;
      },
      repositoryOf: async (id) => (id === 'broken' ? join(directory, 'gone') : addressOfOurs),
    },
    source: {
      refs(address, given) {
        asked.push(address);
        return source.refs(address, given);
      },
    },
    logger,
  });
  const updates = () => tenants.map((tenant) => checks.updateOf(tenant));
  expect([checks.hasRun(), updates()]).toEqual([false, [null, null, null, null]]);
  await checks.run(signal);
  expect(updates()).toEqual(['v1.1.0', null, null, null]);
  expect([checks.hasRun(), asked.filter((address) => address === repository.path).length]).toEqual([true, 1]);

  await repository.release('v1.2.0', { 'NEWS.md': '1.2.0\n' });
  await checks.run(signal);
  expect(updates()).toEqual(['v1.2.0', 'v1.2.0', null, null]);
  addressOfOurs = join(directory, 'away');
  await checks.run(signal);
  expect(updates()).toEqual(['v1.2.0', 'v1.2.0', null, null]);
});
