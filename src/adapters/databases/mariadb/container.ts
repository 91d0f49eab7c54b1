import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { poll } from '../../../lib/concurrency/poll.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { type DatabaseOwner, otherSlot, type TenantDatabase, unhealthy } from '../tenant-database.ts';
import { checkDatabase, reasonOf } from './check.ts';
import type { Access, ClientProgram, RunClient } from './client.ts';
import { type Account, type Query, urlOf, withConnection } from './connection.ts';
import { contentsOf, emptyDatabase, endConnections } from './contents.ts';
import { dumpDatabase, loadDump, runStatements } from './dump.ts';
import { ownNames } from './names.ts';
import { type Administer, createDatabase, createScratch, dropDatabase, literal } from './scratch.ts';

interface Address {
  host: string;
  port: number;
}

interface Limits {
  memoryMb: number;
  cpus: number;
  pids: number;
}

type TenantSpace = DatabaseOwner['tenant'];

/** Runs a database server next to a tenant's units, if the runtime supports it. */
export interface DatabaseServers {
  ensure(
    spec: {
      tenant: TenantSpace;
      image: string;
      access?: unknown;
      environment: Readonly<Record<string, string>>;
      limits: Limits;
    },
    work: Work,
  ): Promise<Address>;
  missingData(tenant: TenantSpace): Promise<string | undefined>;
  address(tenant: TenantSpace): Promise<Address | undefined>;
  remove(tenant: TenantSpace, options: { data: boolean }): Promise<void>;
  /** Starts a program next to the server. An aborted signal ends the following of it, not the program. */
  exec(tenant: TenantSpace, ...program: Parameters<RunClient>): Promise<ClientProgram>;
}

/** A MariaDB server of the tenant's own, in the container `<slug>-db` that only the tenant's network reaches. */
export function createContainerMariadb(options: {
  servers: DatabaseServers;
  image: string;
  /** How the runtime gets it from its registry. */
  access?: unknown;
  limits(): Promise<Limits>;
  /** The units' address of the server; known in advance, so that an environment can be written before it runs. */
  forUnits?(tenant: TenantSpace): Address;
  /** How long a new server may take until it answers (default two minutes: it sets up its files first). */
  startTimeoutMs?: number;
}): TenantDatabase {
  const { servers, image, access } = options;
  const forUnits = options.forUnits ?? ((tenant) => ({ host: `${tenant.slug}-db`, port: 3306 }));
  const accountAt = (address: Address, owner: DatabaseOwner): Account & { database: string } => ({
    ...address,
    password: owner.password,
    ...ownNames(owner),
  });

  const programsOf =
    (owner: DatabaseOwner): RunClient =>
    (...program) =>
      servers.exec(owner.tenant, ...program);
  const accessOf = (owner: DatabaseOwner): Access => ({
    server: [],
    password: owner.password,
    ...ownNames(owner),
  });
  const administerOf =
    (owner: DatabaseOwner): Administer =>
    (statement) => {
      const root = { server: [], user: 'root', password: rootPassword(owner), database: '' };
      const input = Readable.from([Buffer.from(`${statement};\n`)]);
      return runStatements(programsOf(owner), root, input, AbortSignal.timeout(60_000));
    };

  async function accountFor(owner: DatabaseOwner): Promise<Account & { database: string }> {
    const address = await servers.address(owner.tenant);
    if (!address) throw new Error(`The database server ${owner.tenant.slug}-db is not running`);
    return accountAt(address, owner);
  }

  /** An aborted program's statement continues at the server unless its connection is ended. */
  async function endPrograms(owner: DatabaseOwner, signal: AbortSignal): Promise<void> {
    if (signal.aborted) await endConnections(await accountFor(owner), 'localhost').catch(() => undefined);
  }

  return {
    engine: 'mariadb',
    dumpFormat: 'sql',
    url: (owner) => urlOf(accountAt(forUnits(owner.tenant), owner)),

    dump(owner, { signal }) {
      const account = () => accountFor(owner);
      const { content, findings } = dumpDatabase(programsOf(owner), accessOf(owner), account, signal);
      const endingPrograms = async function* () {
        try {
          yield* content;
        } finally {
          await endPrograms(owner, signal);
        }
      };
      return { content: endingPrograms(), findings };
    },
    async load(owner, content, { signal }) {
      await emptyDatabase(await accountFor(owner), signal);
      try {
        await loadDump(programsOf(owner), accessOf(owner), content, signal);
      } finally {
        await endPrograms(owner, signal);
      }
    },
    contents: async (owner, { signal }) => contentsOf(await accountFor(owner), signal),
    async scratch(owner) {
      const { database: _database, ...forPrograms } = accessOf(owner);
      return createScratch({
        database: spareOf(owner),
        run: programsOf(owner),
        administer: administerOf(owner),
        forManager: await accountFor(owner),
        forPrograms,
        forUnits: accountAt(forUnits(owner.tenant), owner),
      });
    },
    async dropScratch(owner) {
      if (await servers.address(owner.tenant))
        await dropDatabase(administerOf(owner), spareOf(owner), ownNames(owner).user);
    },

    async ensure(owner, work) {
      const { tenant } = owner;
      const ran = (await servers.address(tenant)) !== undefined;
      const spec = { tenant, image, access, environment: serverEnvironment(owner), limits: await options.limits() };
      const address = await servers.ensure(spec, work);
      const expected = forUnits(tenant);
      if (address.host !== expected.host || address.port !== expected.port) {
        throw new Error(
          `The database server is at ${address.host}:${address.port}, not at ${expected.host}:${expected.port}`,
        );
      }
      const tables = await untilUsable(owner, work);
      // A server that was only stopped is not new, whatever its container's state: it is new if it has no data.
      return { created: !ran && tables === 0 };
    },

    async missingData(owner, signal) {
      const gone = await servers.missingData(owner.tenant);
      if (gone) return gone;
      // Of a server that does not run, its files are there.
      if (!(await servers.address(owner.tenant))) return undefined;
      const { database, ...server } = await accountFor(owner);
      const named = (query: Query) => query('SHOW DATABASES LIKE ?', [literal(database)]);
      const found = await withConnection(server, { timeoutMs: 5_000, signal }, named).catch(() => undefined);
      return found?.length === 0 ? `the database ${database}` : undefined;
    },

    async check(owner, { timeoutMs }) {
      const address = await servers.address(owner.tenant).catch(() => undefined);
      if (!address) return unhealthy('the database server is not running', 'unreachable');
      return checkDatabase(accountAt(address, owner), { timeoutMs });
    },

    remove: (owner, { data }) => servers.remove(owner.tenant, { data }),
  };

  /**
   * Waits until the tenant's account can connect, and creates its database if it is missing; returns the number of its
   * tables. The address is read at each try: a server that is restarted may get another port.
   */
  async function untilUsable(owner: DatabaseOwner, { log, signal }: Work): Promise<number> {
    const timeoutMs = options.startTimeoutMs ?? 120_000;
    let last = 'no answer';
    log('Waiting for the database server');
    const countTables = async (): Promise<number> => {
      const { database, ...server } = await accountFor(owner);
      return withConnection(server, { timeoutMs: 5_000, signal }, async (query) => {
        // The server created it at its first start; a manager killed while it recreated it may have left none.
        await query('CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4', [database]).catch(async (error) => {
          // The server gives the account the first of its two databases alone.
          if (error.code !== 'ER_DBACCESS_DENIED_ERROR') throw error;
          await createDatabase(administerOf(owner), database, server.user);
        });
        const [row] = await query('SELECT COUNT(*) AS n FROM information_schema.tables WHERE table_schema = ?', [
          database,
        ]);
        return Number(row?.n ?? 0);
      });
    };
    const ask = (): Promise<number | undefined> =>
      countTables().catch((error: unknown) => {
        signal.throwIfAborted();
        last = reasonOf(error);
        return undefined;
      });
    const tables = await poll(ask, { timeoutMs, intervalMs: 500, signal });
    if (tables !== undefined) return tables;
    throw new Error(`The database server could not be used within ${Math.round(timeoutMs / 1000)} s: ${last}`);
  }
}

/**
 * The server's initial environment. Nothing needs root afterwards: its password is derived and not stored, valid only for the
 * server's own socket, and the same at every start, so that an unchanged server compares as unchanged (a random one made by the
 * image would be printed to the server's log).
 */
function serverEnvironment(owner: DatabaseOwner): Record<string, string> {
  // Always the first: the server creates it when it sets up its files, and must not be replaced when another takes its place.
  const { database, user } = ownNames({ ...owner, slot: 0 });
  return {
    MARIADB_DATABASE: database,
    MARIADB_USER: user,
    MARIADB_PASSWORD: owner.password,
    MARIADB_ROOT_HOST: 'localhost',
    MARIADB_ROOT_PASSWORD: rootPassword(owner),
  };
}

const spareOf = (owner: DatabaseOwner): string => ownNames({ ...owner, slot: otherSlot(owner.slot) }).database;

const rootPassword = (owner: DatabaseOwner): string =>
  createHash('sha256').update(`root:${owner.tenant.id}:${owner.password}`).digest('base64url');
