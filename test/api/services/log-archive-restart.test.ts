import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import type { FixtureRepository } from '../../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { type ArchiveAnswer, makeTalkingRepository, type SearchAnswer } from './talking-repository.ts';

/** The same on each runtime: what its units write outlives the manager, and the units. */
function suite(runtime: 'process' | 'docker'): void {
  let directory = '';
  let manager: ManagerProcess;
  let repository: FixtureRepository;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-kept-logs-'));
    repository = await makeTalkingRepository(join(directory, 'repository'));
    manager = await makeManagerProcess({ RUNTIME: runtime });
    await manager.start();
    const slug = `kept-${Date.now().toString(36)}`;
    const names = { name: slug, slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org` };
    const body = { ...names, git_repo: repository.path };
    tenant = (await manager.call<TenantAnswer>('POST', '/api/tenants', { body })).body;
    await deploy('v7.0.0');
  });
  afterAll(async () => {
    const removed = await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await manager.stop();
    await manager.remove();
    await rm(directory, { recursive: true, force: true });
    expect(removed.status).toBe(200);
  });

  async function deploy(target_version: string): Promise<void> {
    const path = `/api/tenants/${tenant.id}/deploy`;
    const { body } = await manager.call<{ deployment_id: string }>('POST', path, { body: { target_version } });
    const ended = await until(
      () => manager.call<DeploymentAnswer>('GET', `/api/deployments/${body.deployment_id}`),
      (answer) => !['queued', 'running'].includes(answer.body.status),
    );
    expect(ended.body).toMatchObject({ status: 'success', error: null });
  }
  const say = async (text: string): Promise<void> => {
    await fetch(`http://127.0.0.1:${tenant.backend_port}/say?text=${encodeURIComponent(text)}`);
  };
  const found = async (text: string) => {
    const query = new URLSearchParams({ text });
    return (await manager.call<SearchAnswer>('GET', `/api/tenants/${tenant.id}/logs/search?${query}`)).body.hits;
  };
  const eventually = (text: string) =>
    until(
      () => found(text),
      (hits) => hits.length > 0,
    );

  test('lines from before and during the absence of a killed manager are there, each once', async () => {
    await say('before the kill');
    await eventually('before the kill');
    await manager.kill();
    await say('while no manager ran');
    await manager.start();
    await say('after the start');
    await eventually('after the start');
    const hits = [...(await found('before the kill')), ...(await found('while no manager ran'))];
    expect(hits.map(({ message }) => message)).toEqual(['before the kill', 'while no manager ran']);
  });

  test('a redeployment removes the unit, not what it wrote up to its end', async () => {
    await say('in the old unit');
    await deploy('v7.1.0');
    const [old] = await eventually('in the old unit');
    const goodbye = await eventually('api says goodbye');
    expect(goodbye.map(({ generation }) => generation)).toEqual([old?.generation]);
    const { body } = await manager.call<ArchiveAnswer>('GET', `/api/tenants/${tenant.id}/logs/archive`);
    expect(body.generations.filter(({ unit }) => unit === 'backend')).toMatchObject([
      { state: 'running', commit: repository.commits['v7.1.0'] },
      { state: 'replaced', commit: repository.commits['v7.0.0'], generation: old?.generation },
    ]);
  });
}

describe('kept logs of processes', () => suite('process'));
describeWithEngine('kept logs of containers', () => suite('docker'));
