import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../../src/app/config/config.ts';
import { type Manager, type ManagerOptions, startManager } from '../../../src/app/lifecycle/manager.ts';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { mapConcurrently } from '../../../src/lib/concurrency/map-concurrently.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { copySqliteTemplate } from '../data/store-template.ts';
import { atWorkerEnd } from '../jest/worker-end.ts';
import { slowness } from '../patience.ts';
import { portPool } from '../servers/ports.ts';

export interface AppOptions extends ManagerOptions {
  environment?: Record<string, string>;
  /** A directory of an earlier app to use again; it is not removed at the end. */
  directory?: string;
}

interface CallOptions {
  token?: string | null;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface Answer<T = Record<string, unknown>> {
  status: number;
  headers: Headers;
  body: T;
}

/** The real manager on a free port, in its own directory. */
export interface App {
  url: string;
  directory: string;
  manager: Manager;
  /** The administrator's token, the default of calls. */
  token: string;
  call<T = Record<string, unknown>>(method: string, path: string, options?: CallOptions): Promise<Answer<T>>;
  /** The address of a download or stream with a one-time ticket. */
  withTicket(path: string, token?: string): Promise<string>;
  /** A new user of a role, with a token. */
  userOf(
    role: 'viewer' | 'operator' | 'admin',
  ): Promise<{ id: string; username: string; token: string; password: string }>;
  stop(): Promise<void>;
}

export const adminPassword = 'violet horse ladder marmalade 9';
let users = 0;

/** Starts the real manager: local processes and SQLite unless the environment says otherwise. */
export async function startApp(options: AppOptions = {}): Promise<App> {
  const { environment, directory: given, ...rest } = options;
  const directory = given ?? (await mkdtemp(join(tmpdir(), 'tenantry-app-')));
  const store = join(directory, 'data', 'tenantry.db');
  if (!environment?.DATABASE_URL && !existsSync(store)) await copySqliteTemplate(store);
  const config = readConfig({
    PORT: '0',
    DASHBOARD_PORT: '0',
    DATA_DIR: join(directory, 'data'),
    RUNTIME: 'process',
    ADMIN_PASSWORD: adminPassword,
    ALLOW_LOCAL_REPOSITORIES: 'true',
    ...portPool(),
    ...environment,
  });
  const manager = await startManager(config, process.env, {
    bcryptCost: 4,
    alertSeconds: 0.5,
    checkAnswers: true,
    logger: createLogger({ level: process.env.TEST_LOG_LEVEL ?? 'silent' }),
    ...inProportion(rest),
  });

  async function call<T>(method: string, path: string, { token, body, headers }: CallOptions = {}): Promise<Answer<T>> {
    const bearer = token === undefined ? app.token : token;
    const response = await fetch(manager.url + path, {
      method,
      headers: {
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : { text }) as T };
  }

  const login = async (username: string, password: string): Promise<string> => {
    const { body } = await call<{ access_token: string }>('POST', '/api/auth/login', {
      token: null,
      body: { username, password },
    });
    return body.access_token;
  };

  const app: App = {
    url: manager.url,
    directory,
    manager,
    token: '',
    call,
    async withTicket(path, token) {
      const [pathname = '', query = ''] = path.split('?');
      const as = token === undefined ? {} : { token };
      const made = await call<{ ticket: string }>('POST', '/api/auth/tickets', { ...as, body: { path: pathname } });
      return `${manager.url}${pathname}?${query ? `${query}&` : ''}ticket=${made.body.ticket}`;
    },
    async userOf(role) {
      users += 1;
      const username = `${role}-${users}`;
      const password = `plum tractor ${role} violet ${users}`;
      const made = await call<{ id: string }>('POST', '/api/users', {
        body: { username, email: `${username}@example.org`, password, role },
      });
      return { id: made.body.id, username, token: await login(username, password), password };
    },
    async stop() {
      if (given === undefined && config.RUNTIME === 'process') await endUnits(manager);
      await manager.stop();
      if (given === undefined) await rm(directory, { recursive: true, force: true });
    },
  };
  app.token = await login('admin', adminPassword);
  return app;
}

let shared: Promise<App> | undefined;

/**
 * The worker's own manager for local processes and SQLite, which its suites share: each brings its tenants, users and repository, and
 * looks at its own alone. It stops after the last suite.
 */
export function sharedApp(): Promise<App> {
  if (!shared) {
    const starting = startApp({ healthTimeoutMs: 20_000 });
    atWorkerEnd(async () => (await starting).stop());
    shared = starting;
  }
  return shared;
}

/** On a slow machine the manager's own limits are longer, too. */
function inProportion({ healthTimeoutMs, importing, ...options }: ManagerOptions): ManagerOptions {
  const { tenantTimeoutMs } = importing ?? {};
  return {
    ...options,
    ...(healthTimeoutMs === undefined ? {} : { healthTimeoutMs: healthTimeoutMs * slowness }),
    ...(importing === undefined ? {} : { importing }),
    ...(tenantTimeoutMs === undefined
      ? {}
      : { importing: { ...importing, tenantTimeoutMs: tenantTimeoutMs * slowness } }),
  };
}

/** Local units outlive their manager by design; those of a test must not outlive its directory. */
async function endUnits({ app: { tenants, runtime } }: Manager): Promise<void> {
  try {
    await mapConcurrently(tenants.each(), 20, (tenant) => runtime.removeTenant(spaceOf(tenant), { data: false }));
  } catch (error) {
    // The store of a stopped manager is closed.
    console.warn(`Units of a test may be left: ${String(error)}`);
  }
}
