import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AuditLogEntry } from '../../../src/adapters/events/audit-log-entry.ts';
import type { Store } from '../../../src/adapters/store/store.ts';
import { listenAt } from '../../../src/app/http/listening.ts';
import { createHttpServer, type HttpServerOptions } from '../../../src/app/http/server.ts';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import { createAccounts } from '../../../src/features/accounts/accounts.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import type { Route } from '../../../src/lib/http/routing/route.ts';
import { createLogger } from '../../../src/lib/logger.ts';

export const adminPassword = 'violet horse ladder marmalade';

interface Options extends Partial<HttpServerOptions> {
  adminPassword?: string | undefined;
  bcryptCost?: number;
  /** SQLite in its own directory unless specified. */
  databaseUrl?: string;
  /** Removes what an earlier app of the same database left: far quicker than migrating a new one. */
  emptyDatabase?: boolean;
  /** Each query waits for this first. */
  beforeQuery?: () => Promise<void>;
  moreRoutes?: readonly Route[];
}

/** Accounts behind the real server, on their own store. */
export async function startAccounts(options: Options = {}) {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-accounts-'));
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const store = await openManagerStore(options.databaseUrl ?? `sqlite:${join(directory, 'tenantry.db')}`, logger);
  if (options.emptyDatabase) await emptyTables(store);
  const delayed: Store = {
    ...store,
    async select(...query) {
      await options.beforeQuery?.();
      return store.select(...query);
    },
  };
  let shiftMs = 0;
  const clock: Clock = { now: () => new Date(Date.now() + shiftMs) };
  const entries: AuditLogEntry[] = [];
  const accounts = createAccounts({
    store: delayed,
    clock,
    logger,
    writeAuditLog: async (entry) => void entries.push(entry),
    secretKey: 'a secret key of the tests, long enough',
    accessTokenTtl: 3_600,
    sessionIdleMinutes: async () => 30,
    apiTokenMaxDays: async () => 365,
    bcryptCost: options.bcryptCost ?? 4,
  });
  const http = createHttpServer({
    routes: [...accounts.routes, ...(options.moreRoutes ?? [])],
    authenticate: accounts.authenticate,
    logger,
    version: '0.0.0',
    trustProxy: [],
    origins: ['http://localhost:32200'],
    checkAnswers: true,
    pingStore: () => store.ping(),
    runtime: async () => ({ kind: 'process', available: true, detail: 'built in' }),
    ...options,
  });
  const firstAdmin = await accounts.ensureFirstAdmin(
    'adminPassword' in options ? options.adminPassword : adminPassword,
  );
  const url = `http://127.0.0.1:${await listenAt(http.server, { name: 'PORT', host: '127.0.0.1', port: 0 })}`;

  const request = async (method: string, path: string, { token, body, headers }: RequestOptions = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      signal: AbortSignal.timeout(60_000),
      headers: {
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  };
  const login = (username: string, password: string) =>
    request('POST', '/api/auth/login', { body: { username, password } });

  return {
    url,
    http,
    accounts,
    store,
    firstAdmin,
    entries,
    lines,
    request,
    login,
    advance: (ms: number) => {
      shiftMs += ms;
    },
    /** The access token of a new sign-in. */
    tokenOf: async (username: string, password: string): Promise<string> =>
      (await login(username, password)).body.access_token,
    async stop() {
      await http.stop(1_000);
      await store.close();
      await rm(directory, { recursive: true });
    },
  };
}

/** Leaves only the name of the schema. References cascade, so the order of the tables does not matter. */
async function emptyTables({ sequelize }: Store): Promise<void> {
  const queries = sequelize.getQueryInterface();
  for (const table of await queries.showAllTables())
    if (table !== 'schema_version') await queries.bulkDelete(table, {});
}

interface RequestOptions {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}
