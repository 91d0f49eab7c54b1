import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MakeManager, type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { sampled } from '../../harness/exhaustive.ts';
import { deployAndKill, endOfDeployment } from './kill-in-step.ts';
import { expectUnits } from './tenant-state.ts';

/** The steps that change something (the proxy's are skipped). */
const steps = [
  'Copy files',
  'Install dependencies',
  'Generate environment',
  'Initialize database',
  'Create service-manager services',
  'Start services',
  'Health check',
];
/** When the manager is killed, after the start of a step: at the boundary, and in the middle. */
const delaysMs = [0, 150];

interface Drill {
  /**
   * First deployments of tenants and a cancelled one, or redeployments: each takes minutes, and they run
   * concurrently.
   */
  of: 'first deployments' | 'redeployments';
  environment: Record<string, string>;
  /** What the runtime really has of a tenant, by name, sorted; read without the manager. */
  unitsOf(slug: string): Promise<string[]>;
  makeManager?: MakeManager;
  /** Moments of a deployment alone, unless all are tested. */
  only?: 'a deployment' | undefined;
}

/** Kills the manager at every step boundary and in the middle of the steps, and checks how the next one continues. */
export function crashDrill({ of, environment, unitsOf, makeManager = makeManagerProcess, only }: Drill): void {
  let directory: string;
  let repository: FixtureRepository;
  let manager: ManagerProcess;
  let version = 0;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-drill-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    // Deployed after a drill: fast, and built once.
    await repository.release('v9.0.0', { 'NEWS.md': 'Version 9.0.0\n' });
    // Slow enough to be killed in the middle, like all later ones.
    await repository.release('v1.2.0', {
      'install.js': "setTimeout(() => console.log('installed'), 400);\n",
      'migrate.js': "setTimeout(() => console.log('migrated ' + process.argv[2]), 300);\n",
    });
    manager = await makeManager(environment);
    await manager.start();
  });
  afterAll(async () => {
    const { body } = await manager.call<{ tenants: TenantAnswer[] }>('GET', '/api/tenants?limit=500');
    for (const { id } of body.tenants) await manager.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    expect(await manager.stop()).toBe(0);
    await manager.remove();
    await rm(directory, { recursive: true, force: true });
  });

  /** A separate version for each drill, so that there is something to build and install. */
  async function newVersion(files: Record<string, string> = {}): Promise<{ tag: string; commit: string }> {
    version += 1;
    const tag = `v2.0.${version}`;
    return { tag, commit: await repository.release(tag, { 'NEWS.md': `${tag}\n`, ...files }) };
  }

  const steady = () => ({ tag: 'v9.0.0', commit: repository.commits['v9.0.0'] ?? '' });

  async function makeTenant(): Promise<TenantAnswer> {
    const slug = `drill-${Date.now().toString(36)}${process.env.JEST_WORKER_ID ?? ''}`;
    const { body } = await manager.call<TenantAnswer>('POST', '/api/tenants', {
      body: {
        name: slug,
        slug,
        domain: `${slug}.example.org`,
        api_domain: `api.${slug}.example.org`,
        git_repo: repository.path,
      },
    });
    return body;
  }

  const endOf = (id: string): Promise<DeploymentAnswer> => endOfDeployment(manager, id);

  const assertTrue = (tenant: TenantAnswer, commit: string | null): Promise<void> =>
    expectUnits(manager, tenant, commit, unitsOf);

  const moments = sampled(
    `${environment.RUNTIME} ${of}`,
    1,
    steps.flatMap((step) => delaysMs.map((delayMs) => [step, delayMs] as const)),
  );

  if (of === 'first deployments') drillFirstDeployments();
  else drillRedeployments();

  function drillFirstDeployments(): void {
    test.each(moments)('a first deployment killed at “%s” + %i ms', async (step, delayMs) => {
      const tenant = await makeTenant();
      const { tag, commit } = await newVersion();
      const id = await deployAndKill(manager, tenant.id, { version: tag, step, delayMs });
      await manager.start();
      const { status } = await endOf(id);
      expect(['success', 'failed']).toContain(status);
      await assertTrue(tenant, status === 'success' ? commit : null);
      const { body } = await manager.call<TenantAnswer>('GET', `/api/tenants/${tenant.id}`);
      expect(body.status).toBe(status === 'success' ? 'running' : 'error');
      await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
      await until(
        () => unitsOf(tenant.slug),
        (units) => units.length === 0,
      );
    });

    if (only) return;

    // The last one: its script would slow down all later ones.
    test('a deployment killed right after the response to its cancel', async () => {
      const tenant = await makeTenant();
      const { tag } = await newVersion({
        'migrate.js': "process.on('SIGTERM', () => {}); console.log('deaf'); setTimeout(() => {}, 2_000);\n",
      });
      const { body } = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`, {
        body: { target_version: tag },
      });
      await until(
        () => manager.call<DeploymentAnswer>('GET', `/api/deployments/${body.deployment_id}`),
        (answer) => answer.body.logs.includes('deaf'),
      );
      const cancelled = await manager.call('POST', `/api/deployments/${body.deployment_id}/cancel`);
      expect(cancelled.status).toBe(202);
      await manager.kill();
      await manager.start();
      expect((await endOf(body.deployment_id)).status).toBe('cancelled');
      await assertTrue(tenant, null);
      await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    });
  }

  function drillRedeployments(): void {
    test.each(moments)('a redeployment killed at “%s” + %i ms', async (step, delayMs) => {
      const tenant = await makeTenant();
      const first = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`, {
        body: { target_version: 'v1.2.0' },
      });
      expect((await endOf(first.body.deployment_id)).status).toBe('success');
      const { tag, commit } = await newVersion();
      const id = await deployAndKill(manager, tenant.id, { version: tag, step, delayMs });
      await manager.start();
      const { status } = await endOf(id);
      expect(['success', 'failed']).toContain(status);
      await assertTrue(tenant, status === 'success' ? commit : (repository.commits['v1.2.0'] ?? ''));
      expect((await manager.call<TenantAnswer>('GET', `/api/tenants/${tenant.id}`)).body.status).toBe('running');

      // After an interrupted build another one must succeed; elsewhere an existing one is enough.
      const again = step === 'Install dependencies' ? await newVersion() : steady();
      const next = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`, {
        body: { target_version: again.tag },
      });
      expect(await endOf(next.body.deployment_id)).toMatchObject({ status: 'success', error: null });
      await assertTrue(tenant, again.commit);
      await manager.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
      await until(
        () => unitsOf(tenant.slug),
        (units) => units.length === 0,
      );
    });
  }
}
