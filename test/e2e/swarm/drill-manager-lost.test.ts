import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { addRelease, makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { drilledSteps, endOfDeployment, killWhen, stepBegins } from '../../crash/drills/kill-in-step.ts';
import { type ManagerPair, makeManagerPair } from '../../harness/app/manager-pair.ts';
import { type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { type MariaDb, startMariaDb } from '../../harness/servers/mariadb-server.ts';
import { describeWithSwarm } from '../../harness/swarm/cluster.ts';

describeWithSwarm('drill: the active manager of a swarm is lost in an operation', (cluster) => {
  /** The managers' own, and the tenants'. */
  let servers: [MariaDb, MariaDb];
  let managers: ManagerPair;
  let docker: Docker;
  let repository: string;
  let upgraded: TenantAnswer;
  let versions = 0;
  /** What the upgraded tenant has. */
  let now: { version: string; commit: string };

  beforeAll(async () => {
    const { engines, host, registry, sockets, storage } = cluster();
    docker = new Docker({ socketPath: sockets[0] });
    servers = [await startMariaDb(), await startMariaDb(host)];
    managers = await makeManagerPair(await servers[0].newDatabase(), {
      RUNTIME: 'swarm',
      DOCKER_HOST: engines.join(','),
      SWARM_STORAGE: storage,
      SWARM_REGISTRY: registry,
      SWARM_PROBE_IMAGE: 'node:24-bookworm-slim',
      TENANT_DATABASE_URL: servers[1].adminUrl,
    });
    await managers.start();
    repository = (await makeContactsRepository(join(managers.directory, 'contacts'))).path;
    upgraded = await newTenant();
    now = await newVersion();
    const id = await begin('deployment', upgraded, now.version);
    expect(await endOfDeployment(managers, id)).toMatchObject({ status: 'success', error: null });
    await expectWhole(upgraded, now);
  });
  afterAll(async () => {
    await managers.remove();
    for (const server of servers) await server.stop();
  });

  const call = async <T>(method: string, path: string, status: number, body?: object): Promise<T> => {
    const answer = await managers.call<T>(method, path, body ? { body } : {});
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const newVersion = async () => {
    versions += 1;
    const version = `v2.0.${versions}`;
    return { version, commit: await addRelease(repository, version, { 'NEWS.md': version }) };
  };
  const newTenant = () => {
    const slug = `lost-${Date.now().toString(36)}`;
    const names = { name: slug, slug, domain: `${slug}.example.org`, api_domain: `api.${slug}.example.org` };
    return call<TenantAnswer>('POST', '/api/tenants', 201, { ...names, git_repo: repository });
  };
  const begin = async (kind: keyof typeof drilledSteps, { id }: TenantAnswer, version: string): Promise<string> => {
    const path = kind === 'upgrade' ? 'upgrade?wait=false' : 'deploy';
    const body = { target_version: version };
    return (await call<{ deployment_id: string }>('POST', `/api/tenants/${id}/${path}`, 202, body)).deployment_id;
  };

  /** What the nodes answer at the port of a tenant's api. */
  async function answersOf({ backend_port }: TenantAnswer): Promise<Record<string, unknown>[]> {
    const nodes = ([1, 2, 3] as const).map((node) => `http://${cluster().addressOf(node)}:${backend_port}/api/health`);
    const answers = nodes.map((url) =>
      fetch(url, { signal: AbortSignal.timeout(5_000) }).then(
        (response) => response.json() as Promise<Record<string, unknown>>,
        () => [],
      ),
    );
    return (await Promise.all(answers)).flat();
  }

  /** How often the upgraded tenant did not answer. */
  async function countSilences(signal: AbortSignal): Promise<number> {
    let silent = 0;
    for (; !signal.aborted; await sleep(200)) if ((await answersOf(upgraded)).length === 0) silent += 1;
    return silent;
  }

  /** What the swarm has of a tenant: asked without the manager. */
  async function ownedBy({ id }: TenantAnswer): Promise<string[]> {
    const filters = { label: [`org.tenantry.tenant=${id}`] };
    const [services, secrets, tasks] = await Promise.all([
      docker.listServices({ filters: JSON.stringify(filters) as never }),
      docker.listSecrets({ filters }),
      docker.listTasks({ filters: { ...filters, 'desired-state': ['running'] } }) as Promise<object[]>,
    ]);
    const units = services.map(({ Spec: { Labels, Name } = {} }) =>
      Labels?.['org.tenantry.slot'] === 'live'
        ? `${Labels['org.tenantry.role']} ${Labels['org.tenantry.commit']}`
        : `left over: ${Name}`,
    );
    return [...units.sort(), `${secrets.length} secrets`, `${tasks.length} tasks`];
  }

  /** One version runs, once, with its database; undefined: the swarm has nothing of the tenant. */
  async function expectWhole(tenant: TenantAnswer, wanted: typeof now | undefined): Promise<void> {
    const whole = wanted
      ? {
          owned: [`api ${wanted.commit}`, `frontend ${wanted.commit}`, '1 secrets', '2 tasks'],
          answers: [{ status: 'healthy', database: 'up', version: wanted.version, commit: wanted.commit }],
        }
      : { owned: ['0 secrets', '0 tasks'], answers: [] };
    await until(
      async () => ({ owned: await ownedBy(tenant), answers: await answersOf(tenant) }),
      (found) => JSON.stringify(found) === JSON.stringify(whole),
    );
    const deployed = await call<Record<string, unknown>>('GET', `/api/tenants/${tenant.id}/version`, 200);
    expect(deployed.deployed_commit).toBe(wanted?.commit ?? null);
    const { deployments } = await call<{ deployments: { status: string }[] }>(
      'GET',
      `/api/tenants/${tenant.id}/deployments`,
      200,
    );
    expect(deployments.map(({ status }) => status).filter((status) => /queued|running/.test(status))).toEqual([]);
  }

  const moments = (['deployment', 'upgrade'] as const).flatMap((kind) =>
    drilledSteps[kind].map((step) => [kind, step] as const),
  );
  test.each(moments)('%s, “%s”: the standby finishes or undoes it', async (kind, step) => {
    const tenant = kind === 'upgrade' ? upgraded : await newTenant();
    const next = await newVersion();
    const id = await begin(kind, tenant, next.version);
    const watching = new AbortController();
    const silences = countSilences(watching.signal);
    const began = performance.now();
    try {
      await killWhen(managers, id, { shows: stepBegins(step), delayMs: 100 });
      await managers.start();
      await endOfDeployment(managers, id);
    } finally {
      watching.abort();
    }
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    const { status, error } = await endOfDeployment(managers, id);
    console.info(`${kind}, ${step}: ${status} after ${seconds} s ${error?.message ?? ''}`);
    expect(['success', 'failed']).toContain(status);
    if (kind === 'upgrade') {
      if (status === 'success') now = next;
      await expectWhole(tenant, now);
      expect(await call('GET', `/api/tenants/${tenant.id}`, 200)).toMatchObject({ status: 'running' });
      return;
    }
    // Another tenant knows nothing of it.
    expect(await silences).toBe(0);
    await expectWhole(tenant, status === 'success' ? next : undefined);
    await call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`, 200);
    expect(await ownedBy(tenant)).toEqual(['0 secrets', '0 tasks']);
    const filters = { label: [`org.tenantry.tenant=${tenant.id}`] };
    expect(await docker.listNetworks({ filters: JSON.stringify(filters) as never })).toEqual([]);
  });
});
