import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { HealthReport } from '../../src/features/health/schema.ts';
import { composeObstacle } from '../harness/compose.ts';
import { ComposedManager } from '../harness/composed-manager.ts';
import { describeWithEngine } from '../harness/engine.ts';
import { svg, themeForm } from '../harness/pictures.ts';
import type { TenantAnswer } from '../harness/tenants.ts';

jest.setTimeout(15 * 60_000);

const obstacle = composeObstacle();

describeWithEngine('the manager by docker compose', () => {
  if (obstacle !== undefined && process.env.CI !== 'true') {
    test.skip(`skipped: ${obstacle}`, () => undefined);
    return;
  }

  const slug = `compose-${Date.now().toString(36)}`;
  let manager: ComposedManager;
  let tenant: TenantAnswer;

  const path = () => `/api/tenants/${tenant.id}`;
  const managerId = () => manager.project.compose('ps', '--quiet', 'manager');

  beforeAll(async () => {
    manager = await ComposedManager.create();
  });
  afterAll(async () => {
    expect(await manager.remove()).toEqual([]);
  });

  test('comes up healthy, with MariaDB as its store and the engine as its runtime', async () => {
    await manager.up('--build');
    expect(await manager.call('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', store: 'up', runtime: { kind: 'docker', available: true } },
    });
    await manager.signIn();
  });

  test('deploys a tenant and reaches it by name, over the tenant’s own network', async () => {
    const deployed = await manager.deploy(slug);
    expect(deployed.deployment).toMatchObject({ status: 'success', version: 'v1.1.0', error: null });
    tenant = deployed.tenant;

    const unit = await manager.docker.getContainer(`${slug}-api`).inspect();
    expect(unit.HostConfig.PortBindings).toEqual({});
    const network = await manager.docker.getNetwork(`tenantry-${slug}`).inspect();
    expect(Object.keys(network.Containers ?? {})).toContain(await managerId());
    await expectHealthy();
  });

  async function expectHealthy(): Promise<void> {
    const health = await manager.call<HealthReport>('POST', `${path()}/health-check`);
    expect(health.body).toMatchObject({
      overall_status: 'healthy',
      checks: { frontend: { status: 'up' }, backend: { status: 'up' }, database: { status: 'healthy' } },
    });
    expect(health.body.checks.database.size_mb).toBeGreaterThan(0);
    const stats = await manager.call('GET', `${path()}/remote/stats`);
    expect([stats.status, stats.body]).toEqual([200, expect.objectContaining({ persons: 0 })]);
  }

  test('draws logos, the text in them too: the image has a font', async () => {
    // Files are named by their content.
    const iconOf = async (text: string): Promise<string | null> => {
      const form = themeForm({ logo_full: svg(`<rect width="40" height="20" fill="#C0143C"/>${text}`) });
      const { body } = await manager.call<{ theme: { logo_icon: string | null } }>('PUT', `${path()}/theme`, form);
      return body.theme.logo_icon;
    };
    const bare = await iconOf('');
    expect(bare).toMatch(/\.png$/);
    expect(await iconOf('<text x="2" y="14" font-size="12" fill="#FFF">Yes</text>')).not.toBe(bare);
  });

  test('a manager whose container is made anew finds its tenant again', async () => {
    const before = await managerId();
    await manager.up('--force-recreate', '--no-deps', 'manager');
    expect(await managerId()).not.toBe(before);
    await expectHealthy();
    const restarted = await manager.call('POST', `${path()}/restart`);
    expect([restarted.status, restarted.body.services]).toEqual([200, { frontend: 'active', backend: 'active' }]);
  });

  test('removes the tenant', async () => {
    const { status, body } = await manager.call('DELETE', `${path()}?remove_files=true`);
    expect([status, body.removed]).toEqual([200, expect.objectContaining({ services: true, files: true })]);
    expect(await manager.labelled(`org.tenantry.instance=${manager.instance}`)).toEqual([]);
  });
});
