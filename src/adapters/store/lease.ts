import { readFileSync } from 'node:fs';
import { QueryTypes, type Sequelize, type Transaction } from 'sequelize';
import { AppError } from '../../lib/errors.ts';
import { openMysql } from './open.ts';

/**
 * A holder renews every 5 s for 15 s, and ends itself 10 s after its last proven renewal. A standby waits 20 s more than the
 * 15 s: requests of the old holder that are under way have ended then.
 */
export const renewEveryMs = 5_000;
export const longestUnprovenMs = 10_000;
const leaseSeconds = 15;
const graceSeconds = 20;

/** Lock wait of a takeover in s: a longer one is the transaction of a manager that hangs or whose machine was lost. */
const lockWaitSeconds = 3;

/** Who manages the tenants, as the store has it. */
export interface LeaseRow {
  /** Host name of the manager; empty when it gave the lease back. */
  holder: string;
  /** Counts the takeovers. */
  token: number;
  /** Its version of Tenantry. */
  version: string;
  /** The running kernel it is on, if it also holds its data directory's lock there; else empty. */
  bootId: string;
  /** Not renewed in time. */
  isExpired: boolean;
  /** Expired, and the time to wait after it is over too. */
  isOver: boolean;
}

export type Contender = Pick<LeaseRow, 'holder' | 'version' | 'bootId'>;

/** The lease of a store on MySQL or MariaDB: at most one manager holds it. All times are those of the database's clock. */
export interface LeaseTable {
  read(): Promise<LeaseRow>;
  /**
   * Takes the lease from the holder with this token, after all its transactions. Ends those that do not end by themselves.
   * @returns the new token; undefined where another manager was faster
   */
  take(token: number, contender: Contender): Promise<number | undefined>;
  /** @returns whether the lease is still held with this token */
  renew(token: number): Promise<boolean>;
  giveBack(token: number): Promise<void>;
  /** Lets the active manager know that this one waits. */
  announce(standby: string): Promise<void>;
  /** The name of a standby that announced itself within the last 15 s. */
  standby(): Promise<string | undefined>;
  /** Reads a value of the store before its schema is migrated; undefined where there is none. */
  fact(name: string): Promise<string | undefined>;
  close(): Promise<void>;
}

/** The kernel that runs now: a new value at each boot, the same in every container. Empty where it is not known. */
export function currentBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}

// The token has a table of its own: writers lock its row, and a renewal must not wait for them.
const schema = [
  `CREATE TABLE IF NOT EXISTS manager_lease (
    name VARCHAR(32) PRIMARY KEY, holder VARCHAR(255) NOT NULL, token BIGINT NOT NULL, version VARCHAR(64) NOT NULL,
    boot_id VARCHAR(64) NOT NULL, expires_at DATETIME(3) NOT NULL)`,
  'CREATE TABLE IF NOT EXISTS manager_token (name VARCHAR(32) PRIMARY KEY, token BIGINT NOT NULL)',
  "INSERT IGNORE INTO manager_lease VALUES ('manager', '', 0, '', '', UTC_TIMESTAMP(3))",
  "INSERT IGNORE INTO manager_token VALUES ('manager', 0)",
];

const selectRow = `SELECT holder, token, version, boot_id AS bootId, expires_at < UTC_TIMESTAMP(3) AS isExpired,
  expires_at < UTC_TIMESTAMP(3) - INTERVAL ${graceSeconds} SECOND AS isOver FROM manager_lease WHERE name = 'manager'`;

/** Connects on a connection of its own, which the store's work can't delay, and creates the tables. */
export async function openLeaseTable(url: string): Promise<LeaseTable> {
  const sequelize = await openMysql(url, 1);
  const change = (sql: string, replacements: unknown[], transaction?: Transaction): Promise<number> =>
    sequelize.query(sql, { replacements, type: QueryTypes.BULKUPDATE, ...(transaction ? { transaction } : {}) });
  try {
    for (const statement of schema) await sequelize.query(statement);
  } catch (error) {
    await sequelize.close();
    throw error;
  }

  const replaceHolder = (token: number, { holder, version, bootId }: Contender): Promise<boolean> =>
    sequelize.transaction(async (transaction) => {
      await sequelize.query(`SET SESSION innodb_lock_wait_timeout = ${lockWaitSeconds}`, { transaction });
      // Waits for the transactions that `fenceWrites` let begin.
      const next = "UPDATE manager_token SET token = token + 1 WHERE name = 'manager' AND token = ?";
      const taken = await change(next, [token], transaction);
      if (taken === 0) return false;
      const sql = `UPDATE manager_lease SET holder = ?, token = ?, version = ?, boot_id = ?,
        expires_at = UTC_TIMESTAMP(3) + INTERVAL ${leaseSeconds} SECOND WHERE name = 'manager' AND token = ?`;
      const changed = await change(sql, [holder, token + 1, version, bootId, token], transaction);
      if (changed === 0) throw new AppError('database_unavailable', 'manager_lease and manager_token differ');
      return true;
    });

  return {
    async read() {
      const [row] = await sequelize.query<Record<keyof LeaseRow, string | number>>(selectRow, {
        type: QueryTypes.SELECT,
      });
      if (!row) throw new AppError('database_unavailable', 'The table manager_lease has no row');
      const { holder, token, version, bootId, isExpired, isOver } = row;
      return {
        holder: String(holder),
        token: Number(token),
        version: String(version),
        bootId: String(bootId),
        isExpired: isExpired === 1,
        isOver: isOver === 1,
      };
    },
    async take(token, contender) {
      try {
        return (await replaceHolder(token, contender)) ? token + 1 : undefined;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        await endOtherConnections(sequelize);
        return undefined;
      }
    },
    async renew(token) {
      const sql = `UPDATE manager_lease SET expires_at = UTC_TIMESTAMP(3) + INTERVAL ${leaseSeconds} SECOND WHERE name = 'manager' AND token = ?`;
      return (await change(sql, [token])) > 0;
    },
    async giveBack(token) {
      await change(
        "UPDATE manager_lease SET holder = '', expires_at = UTC_TIMESTAMP(3) WHERE name = 'manager' AND token = ?",
        [token],
      );
    },
    async announce(standby) {
      const sql = `INSERT INTO manager_lease VALUES ('standby', ?, 0, '', '', UTC_TIMESTAMP(3) + INTERVAL ${leaseSeconds} SECOND)
        ON DUPLICATE KEY UPDATE holder = VALUES(holder), expires_at = VALUES(expires_at)`;
      await sequelize.query(sql, { replacements: [standby] });
    },
    async standby() {
      const sql = "SELECT holder FROM manager_lease WHERE name = 'standby' AND expires_at > UTC_TIMESTAMP(3)";
      const [row] = await sequelize.query<{ holder: string }>(sql, { type: QueryTypes.SELECT });
      return row?.holder;
    },
    async fact(name) {
      if (!(await sequelize.getQueryInterface().tableExists('store_facts'))) return undefined;
      const sql = 'SELECT value FROM store_facts WHERE name = ?';
      const [row] = await sequelize.query<{ value: string }>(sql, { replacements: [name], type: QueryTypes.SELECT });
      return row?.value;
    },
    close: () => sequelize.close(),
  };
}

const isLockTimeout = (error: unknown): boolean =>
  (error as { parent?: { code?: string } }).parent?.code === 'ER_LOCK_WAIT_TIMEOUT';

/** Ends the connections of this user to the store; the database rolls their transactions back. */
async function endOtherConnections(sequelize: Sequelize): Promise<void> {
  const others = await sequelize.query<{ id: number }>(
    `SELECT id FROM information_schema.processlist
      WHERE user = SUBSTRING_INDEX(USER(), '@', 1) AND db = DATABASE() AND id <> CONNECTION_ID()`,
    { type: QueryTypes.SELECT },
  );
  for (const { id } of others) await sequelize.query(`KILL CONNECTION ${Number(id)}`).catch(() => undefined);
}
