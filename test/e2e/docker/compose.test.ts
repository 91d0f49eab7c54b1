import { writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { execa } from 'execa';
import type { HealthReport } from '../../../src/features/health/schema.ts';
import { composeObstacle } from '../../harness/app/compose.ts';
import { ComposedManager } from '../../harness/app/composed-manager.ts';
import { svg, themeForm } from '../../harness/data/pictures.ts';
import type { TenantAnswer } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

const obstacle = composeObstacle();

describeWithEngine('the manager by docker compose', () => {
  if (obstacle !== undefined && process.env.CI !== 'true') {
    test.skip(`skipped: ${obstacle}`, () => undefined);
    return;
  }

  const slug = `compose-${Date.now().toString(36)}`;
  /** A bridge of this machine that no engine knows, as one leaves them that was killed. */
  const left = `left-${Date.now().toString(36)}`;
  // Only root can make one. CI has to be root.
  const canLeave = process.getuid?.() === 0 || process.env.CI === 'true';
  const ip = async (...parameters: string[]) => {
    if (canLeave) await execa('/usr/sbin/ip', parameters);
  };
  let manager: ComposedManager;
  let tenant: TenantAnswer;

  const path = () => `/api/tenants/${tenant.id}`;
  const managerId = () => manager.project.compose('ps', '--quiet', 'manager');

  beforeAll(async () => {
    await ip('link', 'add', left, 'type', 'bridge');
    await ip('address', 'add', '10.214.0.1/28', 'dev', left);
    await ip('link', 'set', left, 'up');
    manager = await ComposedManager.create({ DOCKER_NETWORK_POOL: '10.214.0.0/24' });
  });
  afterAll(async () => {
    await ip('link', 'delete', left);
    expect(await manager.remove()).toEqual([]);
  });

  test('starts healthy, with MariaDB as its store and the engine as its runtime', async () => {
    await manager.up('--build');
    expect(await manager.call('GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', store: 'up' },
    });
    await manager.signIn();
    expect((await manager.call('GET', '/readyz')).body).toMatchObject({ runtime: { kind: 'docker', available: true } });
  });

  test('deploys a tenant and reaches it by name, over the tenant’s own network', async () => {
    const deployed = await manager.deploy(slug);
    expect(deployed.deployment).toMatchObject({ status: 'success', version: 'v1.1.0', error: null });
    tenant = deployed.tenant;

    const unit = await manager.docker.getContainer(`${slug}-api`).inspect();
    expect(unit.HostConfig.PortBindings).toEqual({});
    const network = await manager.docker.getNetwork(`tenantry-${slug}`).inspect();
    expect(Object.keys(network.Containers ?? {})).toContain(await managerId());
    expect(network.IPAM?.Config?.[0]?.Subnet).toBe(canLeave ? '10.214.0.16/28' : '10.214.0.0/28');
    await expectHealthy();
  });

  test('a tenant’s container cannot reach the manager’s API or dashboard', async () => {
    const { Containers: members } = await manager.docker.getNetwork(`tenantry-${slug}`).inspect();
    const [address] = members?.[await managerId()]?.IPv4Address?.split('/') ?? [];
    for (const port of [32_200, 32_201]) {
      // Prints any response.
      const ask = `fetch('http://${address}:${port}/healthz').then((a) => a.status, (e) => e.cause?.code ?? e.name).then(console.log)`;
      expect(await manager.runIn(`${slug}-api`, ['node', '-e', ask])).toMatch(/^(ECONNRESET|UND_ERR_SOCKET)$/);
    }
    expect((await manager.call('GET', '/healthz')).status).toBe(200);
  });

  test('authenticates parallel requests of several users correctly, on the main routes', async () => {
    const everybody = await Promise.all(
      (['admin', 'operator', 'viewer', 'visitor'] as const).map(async (name) => {
        const role = name === 'visitor' ? 'viewer' : name;
        const [username, password] = [`${name}-in-parallel`, `plum tractor ${name} violet 47`];
        const fields = { username, email: `${name}@example.org`, password, role };
        expect((await manager.call('POST', '/api/users', fields)).status).toBe(201);
        return { role, username, password, token: await manager.tokenOf(username, password) };
      }),
    );
    type Person = (typeof everybody)[number];
    const [admin, operator, viewer, visitor] = everybody as [Person, Person, Person, Person];
    const people = [admin, operator, viewer];
    const reads: [string, (body: Record<string, unknown>, person: Person) => void][] = [
      ['/api/auth/me', (body, { username, role }) => expect(body).toMatchObject({ username, role })],
      ['/api/tenants', (body) => expect(body.tenants).toContainEqual(expect.objectContaining({ slug }))],
      [path(), (body) => expect(body).toMatchObject({ slug })],
      [`${path()}/config`, (body) => expect(body).toMatchObject({ tenant_id: tenant.id })],
      [`${path()}/theme`, (body) => expect(body).toMatchObject({ tenant_id: tenant.id })],
      [`${path()}/health`, (body) => expect(body).toMatchObject({ tenant_id: tenant.id })],
    ];
    /** Concurrent requests; each response is checked against its user. */
    const asEach = (work: (person: Person) => Promise<unknown>[]) => Promise.all(people.flatMap(work));
    const status = (person: Person, method: string, route: string, expected: number, body?: unknown) =>
      manager
        .call(method, route, body, person.token)
        .then((answer) =>
          expect([person.role, method, route, answer.status]).toEqual([person.role, method, route, expected]),
        );

    for (let round = 1; round <= 8; round += 1) {
      // A logout ends all sessions of its user only.
      const visit = async (): Promise<void> => {
        const token = await manager.tokenOf(visitor.username, visitor.password);
        const me = () => manager.call('GET', '/api/auth/me', undefined, token);
        expect((await me()).body).toMatchObject({ username: visitor.username });
        expect((await manager.call('POST', '/api/auth/logout', {}, token)).status).toBe(200);
        expect((await me()).status).toBe(401);
      };
      const requests = asEach((person) => [
        ...reads.map(async ([route, check]) => {
          const answer = await manager.call(`GET`, route, undefined, person.token);
          expect([route, answer.status]).toEqual([route, 200]);
          check(answer.body, person);
        }),
        status(person, 'GET', '/api/users', person.role === 'admin' ? 200 : 403),
        status(person, 'GET', '/api/settings', person.role === 'viewer' ? 403 : 200),
        status(person, 'GET', `/api/logs?tenant_id=${tenant.id}`, person.role === 'viewer' ? 403 : 200),
        status(person, 'PUT', `${path()}/config`, person.role === 'viewer' ? 403 : 200, {
          custom_env: { ROUND: String(round) },
        }),
        // Revoked and invalid tokens do not affect other requests.
        manager.call('GET', '/api/auth/me', undefined, 'garbage').then((answer) => expect(answer.status).toBe(401)),
      ]);
      await Promise.all([requests, visit()]);
    }

    const another = `${slug}-2`;
    const made = await Promise.all([
      manager.register(another, operator.token),
      ...people.map((person) => status(person, 'GET', '/api/tenants', 200)),
      status(viewer, 'POST', '/api/tenants', 403, {
        name: 'x',
        slug: `${slug}-3`,
        domain: 'x.example.org',
        api_domain: 'y.example.org',
      }),
      status(viewer, 'POST', '/api/users', 403, {
        username: 'x',
        email: 'x@example.org',
        password: 'plum tractor x violet',
        role: 'admin',
      }),
    ]);
    const second = `/api/tenants/${made[0].id}?remove_files=true`;
    await Promise.all([
      status(admin, 'DELETE', second, 200),
      ...people.map((person) => status(person, 'GET', '/api/tenants', 200)),
      ...people.map((person) => status(person, 'GET', '/api/users', person === admin ? 200 : 403)),
    ]);

    // The audit log names the correct user for each action.
    const { body: log } = await manager.call<{ logs: { message: string; details: { username?: string } }[] }>(
      'GET',
      `/api/logs?tenant_id=${made[0].id}&limit=100`,
    );
    const actors = new Set(log.logs.flatMap(({ details }) => details.username ?? []));
    expect([...actors].sort()).toEqual([admin.username, operator.username]);
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

  test('renders logos with text: the image has a font', async () => {
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

  test('running the README’s two lines again keeps secrets and data', async () => {
    const secrets = await manager.project.environment();
    await manager.project.makeSecrets();
    await manager.up('--build');
    expect(await manager.project.environment()).toEqual(secrets);
    await manager.signIn();
    await expectHealthy();
  });

  test('a manager in a new container finds its tenant again', async () => {
    const before = await managerId();
    await manager.up('--force-recreate', '--no-deps', 'manager');
    expect(await managerId()).not.toBe(before);
    await expectHealthy();
    const restarted = await manager.call('POST', `${path()}/restart`);
    expect([restarted.status, restarted.body.services]).toEqual([200, { frontend: 'active', backend: 'active' }]);
  });

  test.each([
    ['STORE_PASSWORD', 'restore that one in .env'],
    ['SECRET_KEY', 'SECRET_KEY does not fit the store'],
  ])(
    'rejects another %s than that of its volumes and says what to do; with the right one it works again',
    async (name, advice) => {
      const { envFile } = manager.project;
      const right = await manager.project.environment();
      const write = (values: NodeJS.Dict<string>) =>
        writeFile(
          envFile,
          Object.entries(values)
            .map(([key, value]) => `${key}=${value}\n`)
            .join(''),
        );
      await write({ ...right, [name]: 'f'.repeat(48) });
      await expect(manager.up()).rejects.toThrow('is unhealthy');
      const log = await manager.project.compose('logs', '--no-log-prefix', 'manager');
      expect(log).toContain(advice);
      expect(log).not.toContain(right[name]);
      await write(right);
      await manager.up();
      await expectHealthy();
    },
  );

  test('removes the tenant', async () => {
    const { status, body } = await manager.call('DELETE', `${path()}?remove_files=true`);
    expect([status, body.removed]).toEqual([200, expect.objectContaining({ services: true, files: true })]);
    expect(await manager.labelled(`org.tenantry.instance=${manager.instance}`)).toEqual([]);
  });
});
