import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import Docker from 'dockerode';
import { createConnection } from 'mysql2/promise';
import { addRelease, makeContactsRepository } from '../../../examples/contacts/make-repository.ts';
import type { TenantSpace } from '../../../src/adapters/runtimes/runtime.ts';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { backoff, retry } from '../../../src/lib/concurrency/retry.ts';
import { type App, type AppOptions, startApp } from '../app/app.ts';
import { type TenantAnswer, until } from '../data/tenants.ts';
import { TestNginx } from '../proxy/nginx.ts';
import { visit } from '../proxy/visitor.ts';
import { type MariaDb, startMariaDb } from '../servers/mariadb-server.ts';
import type { Cluster, NodeNumber } from './cluster.ts';

const nodeNumbers = [1, 2, 3] as const;
const maxSettleMs = 3 * 60_000;

/** A manager of a swarm with a database server and the sample application's repository; and nginx, on request. */
export class SwarmApp {
  readonly cluster: Cluster;
  readonly docker: Docker;
  app!: App;
  nginx: TestNginx | undefined;
  repository!: string;
  #directory!: string;
  #server!: MariaDb;
  #options: AppOptions;
  #versions = 0;

  private constructor(cluster: Cluster, options: AppOptions) {
    this.cluster = cluster;
    this.docker = new Docker({ socketPath: cluster.sockets[0] });
    this.#options = options;
  }

  static async create(
    cluster: Cluster,
    { nginx = false, ...options }: { nginx?: boolean } & Pick<AppOptions, 'healthTimeoutMs' | 'outsideUrl'> = {},
  ): Promise<SwarmApp> {
    const made = new SwarmApp(cluster, { healthTimeoutMs: 120_000, ...options });
    made.#directory = await mkdtemp(join(tmpdir(), 'tenantry-e2e-swarm-'));
    made.#server = await startMariaDb(cluster.host);
    if (nginx) made.nginx = await TestNginx.create();
    await made.start();
    await made.nginx?.start();
    made.repository = (await makeContactsRepository(join(made.#directory, 'contacts'))).path;
    return made;
  }

  /** Starts the manager; again, after it was stopped. */
  async start(): Promise<void> {
    const { cluster, nginx } = this;
    const proxy = nginx && {
      PROXY: 'nginx',
      PROXY_DIRECTORY: join(nginx.directory, 'tenantry'),
      PROXY_HTTP_PORT: String(nginx.httpPort),
      PROXY_HTTPS_PORT: String(nginx.httpsPort),
      NGINX_CONFIG: nginx.mainConfig,
    };
    this.app = await startApp({
      directory: this.#directory,
      environment: {
        RUNTIME: 'swarm',
        DOCKER_HOST: cluster.engines.join(','),
        SWARM_STORAGE: cluster.storage,
        SWARM_REGISTRY: cluster.registry,
        SWARM_PROBE_IMAGE: 'node:24-bookworm-slim',
        TENANT_DATABASE_URL: this.#server.adminUrl,
        ...proxy,
      },
      ...this.#options,
    });
  }

  async destroy(): Promise<void> {
    await this.app.stop();
    await this.nginx?.destroy();
    await this.#server.stop();
    await rm(this.#directory, { recursive: true, force: true });
  }

  /** @throws Error when the answer has another status */
  async call<T = Record<string, unknown>>(method: string, path: string, status: number, body?: object): Promise<T> {
    const answer = await this.app.call<T>(method, path, body ? { body } : {});
    if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** A version of the sample application; files as for `addRelease`. */
  async release(files: Record<string, string> = {}): Promise<{ version: string; commit: string }> {
    this.#versions += 1;
    const version = `v2.0.${this.#versions}`;
    return { version, commit: await addRelease(this.repository, version, { 'NEWS.md': version, ...files }) };
  }

  /** What the api's health page says through nginx; undefined while it is not 200. */
  async health({ slug }: TenantAnswer): Promise<Record<string, unknown> | undefined> {
    const answer = await visit(this.nginx?.httpPort ?? 0, `api.${slug}.example.org`, { path: '/api/health' }).catch(
      () => undefined,
    );
    return answer?.status === 200 ? JSON.parse(answer.text) : undefined;
  }

  /** In the tenant's own database, as its application. */
  async query<T = Record<string, unknown>>(tenant: TenantAnswer, sql: string): Promise<T[]> {
    const { directory } = await this.spaceOf(tenant);
    const { DATABASE_URL: url = '' } = parseEnv(await readFile(join(directory, '.env'), 'utf8'));
    const connection = await createConnection(url);
    try {
      return (await connection.query<never[]>(sql))[0];
    } finally {
      await connection.end();
    }
  }

  async spaceOf({ id }: TenantAnswer): Promise<TenantSpace> {
    return spaceOf(await this.app.manager.app.tenants.get(id));
  }

  async databases(): Promise<string[]> {
    const connection = await createConnection(this.#server.adminUrl);
    try {
      const [found] = await connection.query<never[]>("SHOW DATABASES LIKE 'tenantry%'");
      return found.flatMap((row) => Object.values<string>(row)).sort();
    } finally {
      await connection.end();
    }
  }

  /** Where a tenant's containers are to run, commands first; undefined while it has none. */
  async nodeOf({ id }: TenantAnswer, role?: 'api' | 'frontend'): Promise<NodeNumber | undefined> {
    const labels = [`org.tenantry.tenant=${id}`, ...(role ? [`org.tenantry.role=${role}`] : [])];
    const wanted = { filters: { label: labels, 'desired-state': ['running'] } };
    const tasks = (await this.#ask((docker) => docker.listTasks(wanted))) as {
      NodeID?: string;
      CreatedAt: string;
      Slot?: number;
    }[];
    const [newest] = tasks.filter(({ NodeID }) => NodeID).sort((a, b) => (a.CreatedAt < b.CreatedAt ? 1 : -1));
    return newest && this.#numberOf(newest.NodeID ?? '');
  }

  /** Lets Swarm place tasks on these nodes alone. */
  async allow(...allowed: NodeNumber[]): Promise<void> {
    const { nodes } = await this.call<{ nodes: { id: string; hostname: string }[] }>('GET', '/api/system/nodes', 200);
    for (const { id, hostname } of nodes) {
      const action = allowed.some((number) => hostname === `node${number}`) ? 'activate' : 'drain';
      await this.call('POST', `/api/system/nodes/${id}/${action}`, 200, {});
    }
  }

  /** Waits until all nodes are ready, and their engines agree with Swarm about a tenant's containers. */
  async settled(tenants: readonly TenantAnswer[]): Promise<void> {
    const left = async (): Promise<string[]> => {
      const nodes = (await this.#ask((docker) => docker.listNodes())) as { ID: string; Status: { State: string } }[];
      const away = nodes.filter(({ Status }) => Status.State !== 'ready').map(({ ID }) => ID);
      if (away.length > 0) return away;
      const filters = { 'desired-state': ['running'] };
      const tasks = (await this.#ask((docker) => docker.listTasks({ filters }))) as { ID: string }[];
      const wanted = new Set(tasks.map(({ ID }) => ID));
      const found = await Promise.all(this.cluster.sockets.map((socket) => containersOf(socket, tenants)));
      return found.flat().filter((task) => !wanted.has(task));
    };
    await until(left, (found) => found.length === 0, maxSettleMs);
  }

  /** Asks the first engine; again while the managers elect a leader. */
  #ask<T>(request: (docker: Docker) => Promise<T>): Promise<T> {
    return retry(() => request(this.docker), {
      delaysMs: backoff(100, 1_000, maxSettleMs),
      isTransient: (error) => /rpc error|does not have a leader/.test(String(error)),
    });
  }

  async #numberOf(id: string): Promise<NodeNumber | undefined> {
    const { Description } = (await this.#ask((docker) => docker.getNode(id).inspect())) as {
      Description: { Hostname: string };
    };
    return nodeNumbers.find((number) => Description.Hostname === `node${number}`);
  }
}

/** The ids of the tasks of the tenants' containers that run on an engine. */
async function containersOf(socketPath: string, tenants: readonly TenantAnswer[]): Promise<string[]> {
  const ids = new Set(tenants.map(({ id }) => id));
  const containers = await new Docker({ socketPath }).listContainers();
  return containers
    .filter(({ Labels }) => ids.has(Labels['org.tenantry.tenant'] ?? ''))
    .map(({ Labels }) => Labels['com.docker.swarm.task.id'] ?? '');
}
