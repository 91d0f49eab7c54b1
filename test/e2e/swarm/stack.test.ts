import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { visit } from '../../harness/proxy/visitor.ts';
import { describeWithSwarm, type NodeNumber } from '../../harness/swarm/cluster.ts';

jest.setTimeout(20 * 60_000);

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
const password = 'violet horse ladder marmalade 9';
const nodes: readonly NodeNumber[] = [1, 2, 3];

describeWithSwarm('docker/stack/stack.yaml on a swarm of three engines', (cluster) => {
  let directory: string;
  let token: string;
  let tenant: TenantAnswer;
  /** The node whose front is asked. */
  let front: NodeNumber = 1;

  const docker = async (node: NodeNumber | undefined, args: string[], environment = {}): Promise<string> => {
    const engine = node === undefined ? [] : ['--host', cluster().engines[node - 1] ?? ''];
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...environment };
    return (await execute('docker', [...engine, ...args], { cwd: root, env, maxBuffer: 64 * 1024 ** 2 })).stdout.trim();
  };
  /** Copies an image of this machine's engine to the registry of the swarm. */
  const push = async (image: string): Promise<string> => {
    const name = `${cluster().registry}/${image}`;
    const file = join(directory, 'image.tar');
    await docker(undefined, ['tag', image, name]);
    await docker(undefined, ['save', '--output', file, name]);
    await docker(1, ['load', '--quiet', '--input', file]);
    await docker(1, ['push', '--quiet', name]);
    await docker(undefined, ['rmi', name]);
    return name;
  };
  const ask = async <T = Record<string, unknown>>(method: string, path: string, body?: object) => {
    const answer = await fetch(`http://${cluster().addressOf(front)}:32200${path}`, {
      method,
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: answer.status, body: (await answer.json()) as T };
  };
  const isReady = () =>
    ask('GET', '/readyz').then(
      ({ status }) => status === 200,
      () => false,
    );
  const deploy = async (version: string): Promise<string> => {
    const path = `/api/tenants/${tenant.id}/deploy`;
    const { status, body } = await ask<{ deployment_id: string }>('POST', path, { target_version: version });
    expect([status, body]).toEqual([202, expect.anything()]);
    return body.deployment_id;
  };
  const deployment = (id: string) =>
    ask<DeploymentAnswer>('GET', `/api/deployments/${id}`).then(
      ({ status, body }) => (status === 200 ? body : undefined),
      () => undefined,
    );
  const endOf = (id: string) =>
    until(
      () => deployment(id),
      (answer) => answer !== undefined && !['queued', 'running'].includes(answer.status),
    );
  /** The answer of the manager on a node to /readyz; undefined where none runs, or the node is lost. */
  const readinessOn = async (node: NodeNumber): Promise<string | undefined> => {
    const script = "fetch('http://127.0.0.1:32201/readyz').then(async (a) => console.log(a.status, await a.text()))";
    try {
      const label = 'label=com.docker.swarm.service.name=tenantry_manager';
      const id = await docker(node, ['ps', '--quiet', '--filter', label]);
      return id === '' ? undefined : await docker(node, ['exec', id, 'node', '-e', script]);
    } catch {
      return undefined;
    }
  };
  const activeNode = async (): Promise<NodeNumber> => {
    for (const node of nodes) if ((await readinessOn(node))?.startsWith('200')) return node;
    throw new Error('No manager is active');
  };

  /** What the tenant's API says of itself, on the nodes that are left. */
  const runningVersion = async (): Promise<string | undefined> => {
    for (const node of nodes) {
      const url = `http://${cluster().addressOf(node)}:${tenant.backend_port}/api/health`;
      const answer = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
      if (answer?.ok) return ((await answer.json()) as { version: string }).version;
    }
    return undefined;
  };

  /** The version that visitors of the tenant's host name get from the nginx of a node. */
  const visitedVersion = async (node: NodeNumber): Promise<string | undefined> => {
    const at = { host: cluster().addressOf(node), path: '/api/health', headers: { host: 'api.stack.example.org' } };
    const answer = await visit(80, 'api.stack.example.org', at).catch(() => undefined);
    return answer?.status === 200 ? (JSON.parse(answer.text) as { version: string }).version : undefined;
  };

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-stack-'));
    await docker(undefined, ['build', '--quiet', '--file', 'docker/Dockerfile', '--tag', 'tenantry-stack-test', '.']);
    const TENANTRY_IMAGE = await push('tenantry-stack-test');
    const NGINX_IMAGE = await push('nginx:1.30');
    const STORE_IMAGE = await push('mariadb:11.8');
    // The database is on node 3, which stays; the test's registry serves instead of the stack's.
    await docker(1, ['node', 'update', '--label-add', 'org.tenantry.data=yes', 'node3']);
    const rootPassword = 'stackrootpassword';
    const secrets = {
      'tenantry-store-root': rootPassword,
      'tenantry-manager': [
        `DATABASE_URL=mysql://root:${rootPassword}@store:3306/tenantry`,
        `TENANT_DATABASE_URL=mysql://root:${rootPassword}@${cluster().addressOf(3)}:3306`,
        'SECRET_KEY=the same key for both managers of the stack',
        `ADMIN_PASSWORD=${password}`,
        `SWARM_REGISTRY=${cluster().registry}`,
        'SWARM_PROBE_IMAGE=node:24-bookworm-slim',
        'ALLOW_LOCAL_REPOSITORIES=true',
        '',
      ].join('\n'),
    };
    for (const [name, content] of Object.entries(secrets)) {
      await writeFile(join(directory, name), content, { mode: 0o600 });
      await docker(1, ['secret', 'create', name, join(directory, name)]);
    }
    const changes = join(directory, 'changes.yaml');
    await writeFile(
      changes,
      'version: "3.8"\nservices:\n  manager:\n    deploy:\n      placement:\n        constraints: [node.hostname != node3]\n',
    );
    const files = ['--compose-file', 'docker/stack/stack.yaml', '--compose-file', changes];
    await docker(1, ['stack', 'deploy', ...files, 'tenantry'], {
      TENANTRY_IMAGE,
      NGINX_IMAGE,
      STORE_IMAGE,
      REGISTRY_REPLICAS: '0',
      SWARM_STORAGE: cluster().storage,
    });
    await until(isReady, (ready) => ready);
    const login = await ask<{ access_token: string }>('POST', '/api/auth/login', { username: 'admin', password });
    token = login.body.access_token;
  });
  afterAll(async () => {
    await docker(undefined, ['rmi', '--force', 'tenantry-stack-test']).catch(() => undefined);
    await rm(directory, { recursive: true, force: true });
  });

  test('one of two managers is active; each node’s front finds it', async () => {
    const standby = await until(
      () => Promise.all(nodes.map(readinessOn)),
      (all) => all.filter((answer) => answer !== undefined).length === 2,
    );
    expect(standby.filter((answer) => answer?.startsWith('200'))).toHaveLength(1);
    const active = await activeNode();
    expect(standby.find((answer) => answer?.startsWith('503'))).toMatch(
      new RegExp(`the manager on \\S*node${active}\\S* is active`),
    );
    for (const node of nodes) {
      front = node;
      for (let request = 0; request < 6; request += 1) expect((await ask('GET', '/api/tenants')).status).toBe(200);
    }
  });

  test('deploys a tenant: each node serves its host name', async () => {
    const repository = await makeContactsRepository(join(cluster().storage, '.repository'));
    const names = { name: 'Stack', slug: 'stack', domain: 'stack.example.org', api_domain: 'api.stack.example.org' };
    const made = await ask<TenantAnswer>('POST', '/api/tenants', { ...names, git_repo: repository.path });
    expect([made.status, made.body]).toEqual([201, expect.anything()]);
    tenant = made.body;
    expect(await endOf(await deploy('v1.0.0'))).toMatchObject({ status: 'success', error: null });
    expect(await Promise.all(nodes.map(visitedVersion))).toEqual(['v1.0.0', 'v1.0.0', 'v1.0.0']);
  });

  test('the node of the active manager is lost in a deployment: the standby finishes it or undoes it', async () => {
    const lost = await activeNode();
    front = lost === 1 ? 2 : 1;
    const id = await deploy('v1.1.0');
    await until(
      () => deployment(id),
      (answer) => answer?.current_step === 'Start services' || answer?.status !== 'running',
    );
    await cluster().lose(lost);
    const at = performance.now();
    // The node's nginx finds the tenant without the manager.
    const visited = until(
      () => visitedVersion(front),
      (version) => version !== undefined,
    ).then(() => (performance.now() - at) / 1000);
    await until(isReady, (ready) => ready);
    console.info(
      `the standby was active ${((performance.now() - at) / 1000).toFixed(1)} s after the loss of node${lost}, ` +
        `the tenant answered after ${(await visited).toFixed(1)} s`,
    );
    expect(await activeNode()).not.toBe(lost);
    const end = await endOf(id);
    expect(['success', 'failed']).toContain(end?.status);
    const { body } = await ask<TenantAnswer>('GET', `/api/tenants/${tenant.id}`);
    expect(body.status).toBe('running');
    const version = end?.status === 'success' ? 'v1.1.0' : 'v1.0.0';
    await until(runningVersion, (running) => running === version);
    expect(await endOf(await deploy('v1.0.0'))).toMatchObject({ status: 'success', error: null });
    const left = nodes.filter((node) => node !== lost);
    expect(await Promise.all(left.map(visitedVersion))).toEqual(['v1.0.0', 'v1.0.0']);
  });
});
