import { execFile } from 'node:child_process';
import { appendFile, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { visit } from '../../harness/proxy/visitor.ts';
import { describeWithSwarm, type NodeNumber } from '../../harness/swarm/cluster.ts';

jest.setTimeout(20 * 60_000);

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');
/** What every node resolves to the address of node 3. */
const registryName = 'registry.stack';
/** Whether a promise is fulfilled. */
const settled = [() => true, () => false] as const;
const nodes: readonly NodeNumber[] = [1, 2, 3];

describeWithSwarm('docker/stack/stack.yaml on a swarm of three engines', (cluster) => {
  let directory: string;
  let token: string;
  let password: string;
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
  /** Runs a program in the container of a service on a node. */
  const inService = async (node: NodeNumber, service: string, program: string[]): Promise<string> => {
    const id = await docker(node, ['ps', '--quiet', '--filter', `label=com.docker.swarm.service.name=${service}`]);
    return docker(node, ['exec', id.split('\n')[0] ?? '', ...program]);
  };
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

  /** A registry from this machine's program, configured as the official image is: only by variables. */
  async function makeRegistryImage(): Promise<void> {
    const context = join(directory, 'registry');
    await mkdir(context);
    await copyFile('/usr/bin/docker-registry', join(context, 'registry'));
    await writeFile(
      join(context, 'config.yml'),
      'version: 0.1\nlog: { level: warn }\nstorage: { filesystem: { rootdirectory: /var/lib/registry } }\nhttp: { addr: ":5000" }\n',
    );
    await writeFile(
      join(context, 'Dockerfile'),
      'FROM node:24-bookworm-slim\nCOPY registry /bin/registry\nCOPY config.yml /etc/registry.yml\nVOLUME /var/lib/registry\nENTRYPOINT ["registry", "serve", "/etc/registry.yml"]\n',
    );
    await docker(undefined, ['build', '--quiet', '--tag', 'tenantry-stack-registry', context]);
  }

  /** The commands that the guide has for every node. */
  const firewallOfTheGuide = async (): Promise<string[][]> =>
    [...(await readFile(join(root, 'docs/operations.md'), 'utf8')).matchAll(/^ {3}nft (.*)$/gm)].map(([, line = '']) =>
      [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? ''),
    );

  /** As the guide says; the images that others publish come from a registry outside of the stack. */
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-stack-'));
    await docker(undefined, ['build', '--quiet', '--file', 'docker/Dockerfile', '--tag', 'tenantry-stack-test', '.']);
    await makeRegistryImage();
    const NGINX_IMAGE = await push('nginx:1.30');
    const STORE_IMAGE = await push('mariadb:11.8');
    const REGISTRY_IMAGE = await push('tenantry-stack-registry');
    await docker(undefined, ['save', '--output', join(directory, 'manager.tar'), 'tenantry-stack-test']);
    await docker(1, ['load', '--quiet', '--input', join(directory, 'manager.tar')]);
    // The database and the registry are on node 3, which stays.
    await docker(1, ['node', 'update', '--label-add', 'org.tenantry.data=yes', 'node3']);

    const makeSecrets = () =>
      execute(
        join(root, 'docker/stack/make-secrets.sh'),
        [registryName, cluster().addressOf(3), 'tenantry-stack-test'],
        {
          cwd: directory,
          env: { PATH: process.env.PATH, DOCKER_HOST: cluster().engines[0] },
        },
      );
    await makeSecrets();
    const managerFile = join(directory, 'stack-secrets', 'manager.env');
    await docker(1, ['secret', 'rm', 'tenantry-manager']);
    await appendFile(managerFile, 'SWARM_PROBE_IMAGE=node:24-bookworm-slim\nALLOW_LOCAL_REPOSITORIES=true\n');
    expect((await makeSecrets()).stdout).toContain('tenantry-store-root exists; it was not changed.');
    password = /^ADMIN_PASSWORD=(.*)$/m.exec(await readFile(managerFile, 'utf8'))?.[1] ?? '';
    for (const node of nodes) {
      const trusted = `/etc/docker/certs.d/${registryName}:5000`;
      await cluster().run(node, ['mkdir', '--parents', trusted]);
      await cluster().run(node, [
        ...['cp', join(directory, 'stack-secrets', 'registry-certificate')],
        `${trusted}/ca.crt`,
      ]);
      const rules = await firewallOfTheGuide();
      expect(rules).toHaveLength(5);
      for (const rule of rules) await cluster().run(node, ['nft', ...rule]);
    }

    const changes = join(directory, 'changes.yaml');
    await writeFile(
      changes,
      'version: "3.8"\nservices:\n  manager:\n    deploy:\n      placement:\n        constraints: [node.hostname != node3]\n',
    );
    const files = ['--compose-file', 'docker/stack/stack.yaml', '--compose-file', changes];
    const tag = `${registryName}:5000/tenantry:test`;
    const environment = {
      NGINX_IMAGE,
      STORE_IMAGE,
      REGISTRY_IMAGE,
      REGISTRY_NAME: registryName,
      SWARM_STORAGE: cluster().storage,
      DOCKER_CONFIG: join(directory, 'docker'),
    };
    await docker(1, ['stack', 'deploy', ...files, 'tenantry'], { ...environment, TENANTRY_IMAGE: tag });
    const registryPassword = await readFile(join(directory, 'stack-secrets', 'registry-password'), 'utf8');
    const login = () =>
      docker(
        1,
        ['login', '--username', 'tenantry', '--password', registryPassword, `${registryName}:5000`],
        environment,
      );
    await until(
      () => login().then(...settled),
      (ok) => ok,
    );
    await docker(1, ['tag', 'tenantry-stack-test', tag]);
    await docker(1, ['push', '--quiet', tag], environment);
    const TENANTRY_IMAGE = await docker(1, ['image', 'inspect', '--format', '{{index .RepoDigests 0}}', tag]);
    expect(TENANTRY_IMAGE).toMatch(/^registry\.stack:5000\/tenantry@sha256:/);
    await docker(1, ['stack', 'deploy', '--with-registry-auth', ...files, 'tenantry'], {
      ...environment,
      TENANTRY_IMAGE,
    });
    await until(isReady, (ready) => ready);
    const signedIn = await ask<{ access_token: string }>('POST', '/api/auth/login', { username: 'admin', password });
    token = signedIn.body.access_token;
  });
  afterAll(async () => {
    await docker(undefined, ['rmi', '--force', 'tenantry-stack-test', 'tenantry-stack-registry']).catch(
      () => undefined,
    );
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

  test('nodes run the digest that was pushed; containers do not reach the registry, nor others without its password', async () => {
    const services = await docker(1, ['service', 'ls', '--format', '{{.Image}}']);
    const pushed = services.split('\n').filter((image) => image.startsWith(`${registryName}:5000/tenantry-`));
    expect(pushed).toHaveLength(2);
    for (const image of pushed) expect(image).toMatch(/\/(api|frontend)@sha256:[0-9a-f]{64}$/);
    const url = `https://${cluster().addressOf(3)}:5000/v2/`;
    const status = [
      'curl',
      '--silent',
      '--insecure',
      '--max-time',
      '10',
      '--output',
      '/dev/null',
      '--write-out',
      '%{http_code}',
    ];
    expect((await execute('curl', [...status.slice(1), url])).stdout).toBe('401');
    for (const node of nodes) {
      // A tenant's container leaves by the same bridge.
      const curl = (address: string) =>
        inService(node, 'tenantry_sites', [...status, address]).catch(
          (error: { code: number }) => `curl ended with ${error.code}`,
        );
      expect(await curl(url)).toBe('curl ended with 7');
      const gateway = await docker(node, [
        ...['network', 'inspect', '--format', '{{(index .IPAM.Config 0).Gateway}}', 'docker_gwbridge'],
      ]);
      expect(await curl(`https://${gateway}:5000/v2/`)).toBe('curl ended with 7');
    }
  });

  test('root signs in to the database from the stack’s own network alone', async () => {
    const root = await readFile(join(directory, 'stack-secrets', 'store-root-password'), 'utf8');
    const connect = (user: string, password: string) =>
      createConnection({ host: cluster().addressOf(3), user, password }).then((connection) => connection.end());
    await expect(connect('root', root)).rejects.toThrow(/Access denied|not allowed/);
    const accounts = await inService(3, 'tenantry_store', [
      ...['mariadb', '--user=root', `--password=${root}`, '--batch', '--skip-column-names', '--execute'],
      'SELECT User, Host FROM mysql.user ORDER BY 1, 2',
    ]);
    expect(accounts.split('\n').filter((line) => line.startsWith('root'))).toEqual([
      'root\t10.214.1.%',
      'root\tlocalhost',
    ]);
  });

  test('a visitor does not choose the address that limits and sessions use', async () => {
    const answer = await fetch(`http://${cluster().addressOf(front)}:32200/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': '10.1.2.3' },
      body: JSON.stringify({ username: 'admin', password }),
    });
    expect(answer.status).toBe(200);
    const { body } = await ask<{ sessions: { address: string }[] }>('GET', '/api/auth/sessions');
    expect(new Set(body.sessions.map(({ address }) => address))).toEqual(new Set([cluster().host]));
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
