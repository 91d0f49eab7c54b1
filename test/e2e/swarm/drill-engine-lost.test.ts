import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { unitRoles } from '../../../src/adapters/runtimes/runtime.ts';
import { drilledSteps, stepBegins, untilShown } from '../../crash/drills/kill-in-step.ts';
import {
  askDeploy,
  type DeploymentAnswer,
  deploy,
  endOf,
  getTenant,
  makeTenant,
  type TenantAnswer,
  until,
} from '../../harness/data/tenants.ts';
import { sampled } from '../../harness/exhaustive.ts';
import { describeWithSwarm, type NodeNumber } from '../../harness/swarm/cluster.ts';
import { SwarmApp } from '../../harness/swarm/swarm-app.ts';

/** The node that runs the command is lost. */
const stepsWithCommands: string[] = ['Initialize database', 'Run migrations'];
type Kind = keyof typeof drilledSteps;

/** How long its tasks need until they run on another node: 20 s until the loss is noticed, and as long as they wait there. */
const maxMoveMs = 3 * 60_000;

const manifest = (scripts: string) => `
version: 1
units:
  api:
    start: node api/server.js
    port: 8000
    health: /api/health
    image: { dockerfile: Dockerfile, target: api }
  frontend:
    start: node frontend/server.js
    port: 3000
    health: /
    image: { dockerfile: Dockerfile, target: frontend }
install: npm ci --omit=dev --no-audit --no-fund
database:
  engines: [mariadb]
migrations:
  run: node scripts/{name}.js
  scripts: [${scripts}]
`;
/** Half of the change first, the other half after a while. */
const mark = (number: number) => `
import { setTimeout as sleep } from 'node:timers/promises';
import { migrate } from '../shared/migration.js';
await migrate(async ({ createTable, database }) => {
  await createTable('marks', ['number INT PRIMARY KEY', 'complete INT']);
  await database.run('DELETE FROM marks WHERE number = ?', [${number}]);
  await database.run('INSERT INTO marks VALUES (?, NULL)', [${number}]);
  await sleep(1_000);
  await database.run('UPDATE marks SET complete = 1 WHERE number = ?', [${number}]);
});
`;

describeWithSwarm('drill: an engine is lost in an operation', (cluster) => {
  let swarm: SwarmApp;
  let upgraded: TenantAnswer;
  let marks = 0;
  /** What the upgraded tenant has. */
  let now: { version: string; commit: string; marks: number[] };

  const newVersion = async () => {
    marks += 1;
    const files = { 'tenant.yaml': manifest('create_schema, mark'), 'scripts/mark.js': mark(marks) };
    return { ...(await swarm.release(files)), mark: marks };
  };

  beforeAll(async () => {
    swarm = await SwarmApp.create(cluster());
    // Node 1 leads the swarm; units run on the two others.
    await swarm.allow(2, 3);
    upgraded = await makeTenant(swarm.app, swarm.repository);
    const { version, commit, mark: number } = await newVersion();
    expect(await deploy(swarm.app, upgraded.id, { target_version: version })).toMatchObject({ status: 'success' });
    now = { version, commit, marks: [number] };
  });
  afterAll(() => swarm.destroy());

  const begin: Record<Kind, (tenant: TenantAnswer, version: string) => Promise<string>> = {
    deployment: (tenant, version) => askDeploy(swarm.app, tenant.id, { target_version: version }),
    async upgrade({ id }, version) {
      const path = `/api/tenants/${id}/upgrade?wait=false`;
      return (await swarm.call<{ deployment_id: string }>('POST', path, 202, { target_version: version }))
        .deployment_id;
    },
  };

  /** Both units of one version run, once, on other nodes than the lost one, with all of its data. */
  async function expectWhole(tenant: TenantAnswer, wanted: typeof now, lost: NodeNumber): Promise<void> {
    const { runtime, tenants } = swarm.app.manager.app;
    const space = await swarm.spaceOf(tenant);
    const answers = async () => {
      const states = await Promise.all(unitRoles.map((role) => runtime.inspect({ tenant: space, role })));
      const { host, port } = await runtime.address({ tenant: space, role: 'api' }, tenant.backend_port);
      const answer = await fetch(`http://${host}:${port}/api/health`, { signal: AbortSignal.timeout(5_000) })
        .then((response) => response.json() as Promise<Record<string, unknown>>)
        .catch(String);
      return {
        commits: states.map(({ state, commit }) => (state === 'active' ? commit : state)),
        answer,
        elsewhere: host !== cluster().addressOf(lost),
        deployed: (await tenants.get(tenant.id)).deployed?.commit,
      };
    };
    const whole = {
      commits: [wanted.commit, wanted.commit],
      answer: { status: 'healthy', database: 'up', version: wanted.version, commit: wanted.commit },
      elsewhere: true,
      deployed: wanted.commit,
    };
    await until(answers, (found) => JSON.stringify(found) === JSON.stringify(whole), maxMoveMs);
    expect(await swarm.query(tenant, 'SELECT number, complete FROM marks ORDER BY number')).toEqual(
      wanted.marks.map((number) => ({ number, complete: 1 })),
    );
    expect((await getTenant(swarm.app, tenant.id)).status).toBe('running');
  }

  /** What the runtime has of a tenant besides its network. */
  async function ownedBy({ id }: TenantAnswer): Promise<string[]> {
    const found = (await swarm.app.manager.app.runtime.list()).filter(({ tenantId }) => tenantId === id);
    return found.flatMap(({ kind, name }) => (kind === 'secret' ? [kind] : kind === 'network' ? [] : [name])).sort();
  }

  const moments = sampled(
    'swarm engine lost',
    6,
    (['deployment', 'upgrade'] as const).flatMap((kind) =>
      drilledSteps[kind].flatMap((step) => (['kill', 'cut'] as const).map((loss) => [kind, step, loss] as const)),
    ),
  );
  test.each(moments)('%s, “%s”, %s', async (kind, step, loss) => {
    const tenant = kind === 'upgrade' ? upgraded : await makeTenant(swarm.app, swarm.repository);
    const { version, commit, mark: number } = await newVersion();
    const databases = await swarm.databases();
    const id = await begin[kind](tenant, version);
    await untilShown(swarm.app, id, stepBegins(step));
    const node = () => swarm.nodeOf(tenant);
    const lost = (await (stepsWithCommands.includes(step) ? until(node, (found) => found !== undefined) : node())) ?? 3;
    const began = performance.now();
    await cluster()[loss](lost);
    let end: DeploymentAnswer;
    try {
      end = await endOf(swarm.app, id);
      const seconds = ((performance.now() - began) / 1000).toFixed(1);
      console.info(
        `${kind}, ${step}, ${loss} node ${lost}: ${end.status} after ${seconds} s ${end.error?.message ?? ''}`,
      );
      expect(['success', 'failed']).toContain(end.status);
      if (end.status === 'success') {
        const whole = { version, commit, marks: kind === 'upgrade' ? [...now.marks, number] : [number] };
        if (kind === 'upgrade') now = whole;
        await expectWhole(tenant, whole, lost);
      } else {
        expect(end.error?.message).toBeTruthy();
        if (kind === 'upgrade') await expectWhole(tenant, now, lost);
        else expect((await getTenant(swarm.app, tenant.id)).status).toBe('error');
      }
    } finally {
      await (loss === 'kill' ? cluster().start(lost) : cluster().heal(lost));
    }
    await swarm.settled([tenant]);
    const isDeployed = kind === 'upgrade' || end.status === 'success';
    expect(await ownedBy(tenant)).toEqual(
      isDeployed ? ['secret', `${tenant.slug}-api`, `${tenant.slug}-frontend`] : [],
    );
    expect(await swarm.app.manager.app.runtime.pendingChanges()).toEqual([]);
    if (kind === 'upgrade') return;
    if (end.status === 'failed') expect(await swarm.databases()).toEqual(databases);
    // The managers may still elect a leader: 503 until then.
    await until(
      () => swarm.app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`),
      ({ status }) => status === 200,
      maxMoveMs,
    );
    expect(await swarm.databases()).toEqual(databases);
  });
});
