import { AppError, messageOf } from '../../../lib/errors.ts';
import { streamProgram } from '../../../lib/spawn.ts';
import { type DatabaseOwner, otherSlot, type TenantDatabase } from '../tenant-database.ts';
import { checkDatabase, reasonOf } from './check.ts';
import type { Access, RunClient } from './client.ts';
import { type Account, type Query, urlOf, withConnection } from './connection.ts';
import { contentsOf, emptyDatabase } from './contents.ts';
import { dumpDatabase, loadDump } from './dump.ts';
import { sharedNames } from './names.ts';
import { type Administer, createScratch, dropDatabase } from './scratch.ts';

const timeoutMs = 15_000;

/** A tenant's own database and account on a shared server; the account sees nothing else. */
export function createSharedMariadb({
  serverUrl,
  forUnits: unitAddress,
}: {
  /** `mysql://user:password@host:port` of an account that may create databases and accounts. */
  serverUrl: string;
  /** `host:port` by which units reach the server, if it differs from the manager's. */
  forUnits?: string | undefined;
}): TenantDatabase {
  const admin = adminAccount(serverUrl);
  const [host, port] = unitAddress?.split(':') ?? [];
  const forUnits = host === undefined ? undefined : { host, port: Number(port) };
  const accountOf = (owner: DatabaseOwner): Account & { database: string } => ({
    host: admin.host,
    port: admin.port,
    password: owner.password,
    ...sharedNames(owner),
  });

  async function asAdmin<T>(work: (query: Query) => Promise<T>, signal?: AbortSignal): Promise<T> {
    try {
      return await withConnection(admin, { timeoutMs, signal }, async (query) => {
        // A server that takes backslashes literally would read escaped text otherwise.
        await query("SET SESSION sql_mode = ''");
        return work(query);
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw new AppError('database_unavailable', `The shared database server: ${reasonOf(error)}`, { cause: error });
    }
  }

  const accessOf = (owner: DatabaseOwner): Access => {
    const { host, port, ...account } = accountOf(owner);
    return { server: ['--protocol=tcp', `--host=${host}`, `--port=${port}`, '--skip-ssl'], ...account };
  };
  const administer: Administer = (statement) =>
    asAdmin(async (query) => {
      const rows: unknown = await query(statement);
      // A statement without rows returns something else.
      return Array.isArray(rows) ? rows.map((row: object) => String(Object.values(row)[0])) : [];
    });

  return {
    engine: 'mariadb',
    dumpFormat: 'sql',
    url: (owner) => urlOf({ ...accountOf(owner), ...forUnits }),

    dump: (owner, { signal }) => dumpDatabase(runLocally, accessOf(owner), async () => accountOf(owner), signal),
    async load(owner, content, { signal }) {
      await emptyDatabase(accountOf(owner), signal);
      await loadDump(runLocally, accessOf(owner), content, signal);
    },
    contents: (owner, { signal }) => contentsOf(accountOf(owner), signal),
    async scratch(owner) {
      const { database: _database, ...forPrograms } = accessOf(owner);
      const account = accountOf(owner);
      const forUnitsToo = { ...account, ...forUnits };
      return createScratch({
        database: spareOf(owner),
        run: runLocally,
        administer,
        forManager: account,
        forPrograms,
        forUnits: forUnitsToo,
      });
    },
    dropScratch: (owner) => dropDatabase(administer, spareOf(owner), sharedNames(owner).user),

    async ensure(owner, { log, signal }) {
      const { database, user } = sharedNames(owner);
      return asAdmin(async (query) => {
        const found = await query('SELECT 1 FROM information_schema.schemata WHERE schema_name = ?', [database]);
        const created = found.length === 0;
        if (created) log(`Making the database ${database} on the shared server`);
        await query('CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4', [database]);
        await query("CREATE USER IF NOT EXISTS ?@'%' IDENTIFIED BY ?", [user, owner.password]);
        await query("ALTER USER ?@'%' IDENTIFIED BY ?", [user, owner.password]);
        await query("GRANT ALL PRIVILEGES ON ??.* TO ?@'%'", [grantPattern(database), user]);
        return { created };
      }, signal);
    },

    async missingData(owner, signal) {
      const { database } = sharedNames(owner);
      const found = await asAdmin(
        (query) => query('SELECT 1 FROM information_schema.schemata WHERE schema_name = ?', [database]),
        signal,
      );
      return found.length === 0 ? `the database ${database}` : undefined;
    },
    check: (owner, options) => checkDatabase(accountOf(owner), options),

    async remove(owner, { data }) {
      const { database, user } = sharedNames(owner);
      await asAdmin(async (query) => {
        await query("DROP USER IF EXISTS ?@'%'", [user]);
        if (data) for (const name of [database, spareOf(owner)]) await query('DROP DATABASE IF EXISTS ??', [name]);
      });
    },
  };
}

const spareOf = (owner: DatabaseOwner): string => sharedNames({ ...owner, slot: otherSlot(owner.slot) }).database;

/** The client programs of this machine. */
const runLocally: RunClient = async ([program = '', ...args], { environment, input, signal }) => {
  const { output, ended } = streamProgram(program, args, { env: { ...environment }, input, signal });
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (!/could not be started.*ENOENT/s.test(messageOf(error))) throw error;
      throw new Error(
        `The program ${program} is not on this machine: install MariaDB’s client (Debian: apt-get install mariadb-client)`,
      );
    }
  };
  async function* withErrors(): AsyncGenerator<Uint8Array> {
    const reading = output[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await explained(() => reading.next());
        if (done) return;
        yield value;
      }
    } finally {
      await reading.return?.();
    }
  }
  return { output: withErrors(), ended };
};

/** In GRANT a database's name is a pattern: a bare `_` would open `tenantry_axb` to the account of `tenantry_a_b`. */
const grantPattern = (database: string): string => database.replaceAll('_', '\\_');

function adminAccount(serverUrl: string): Account {
  const url = new URL(serverUrl);
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port === '' ? 3306 : Number(url.port),
    user: decodeURIComponent(url.username),
    password: decodeURIComponent(url.password),
  };
}
