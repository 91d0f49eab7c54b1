import { messageOf } from '../../../lib/errors.ts';
import { type DatabaseCheck, type DatabaseProblem, toMebibytes, unhealthy } from '../tenant-database.ts';
import { type Account, withConnection } from './connection.ts';

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ETIMEDOUT: 'the connection timed out',
  ENOTFOUND: 'the host name is not known',
  ECONNRESET: 'the connection was reset',
  PROTOCOL_CONNECTION_LOST: 'the connection was lost',
  ER_ACCESS_DENIED_ERROR: 'the tenant’s account is refused',
  ER_DBACCESS_DENIED_ERROR: 'the tenant’s account may not use its database',
  ER_MUST_CHANGE_PASSWORD: 'the password of the tenant’s account has expired',
  ER_MUST_CHANGE_PASSWORD_LOGIN: 'the password of the tenant’s account has expired',
  ER_BAD_DB_ERROR: 'the database does not exist',
  ER_CON_COUNT_ERROR: 'the server has no connection left',
};

const problems: Record<string, DatabaseProblem> = {
  ECONNREFUSED: 'unreachable',
  ETIMEDOUT: 'slow',
  ENOTFOUND: 'unreachable',
  EHOSTUNREACH: 'unreachable',
  ECONNRESET: 'unreachable',
  PROTOCOL_CONNECTION_LOST: 'unreachable',
  ER_ACCESS_DENIED_ERROR: 'refused',
  ER_DBACCESS_DENIED_ERROR: 'refused',
  ER_ACCOUNT_HAS_BEEN_LOCKED: 'refused',
  ER_HOST_NOT_PRIVILEGED: 'refused',
  ER_MUST_CHANGE_PASSWORD: 'refused',
  ER_MUST_CHANGE_PASSWORD_LOGIN: 'refused',
  ER_BAD_DB_ERROR: 'missing',
  ER_CON_COUNT_ERROR: 'full_connections',
  ER_TOO_MANY_USER_CONNECTIONS: 'full_connections',
  ER_USER_LIMIT_REACHED: 'full_connections',
};

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '');

/** A check that was not answered in time has no code. */
const problemOf = (error: unknown): DatabaseProblem =>
  problems[codeOf(error)] ?? (/^no answer within /.test(messageOf(error)) ? 'slow' : 'other');

/** Why a database does not answer, in plain words. */
export function reasonOf(error: unknown): string {
  return reasons[codeOf(error)] ?? messageOf(error);
}

/** Checks a tenant's database with the tenant's own account: the application has the same access. */
export async function checkDatabase(
  account: Account & { database: string },
  { timeoutMs }: { timeoutMs: number },
): Promise<DatabaseCheck> {
  try {
    return await withConnection(account, { timeoutMs }, async (query) => {
      await query('SELECT 1');
      const [size] = await query(
        'SELECT COALESCE(SUM(data_length + index_length), 0) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE()',
      );
      // Without PROCESS an account sees only its own connections, and it is this database's only user.
      const [threads] = await query(
        "SELECT COUNT(*) AS open, MAX(IF(command = 'Sleep', 0, time)) AS longest FROM information_schema.processlist WHERE db = DATABASE() AND id <> CONNECTION_ID()",
      );
      return {
        status: 'healthy',
        size_mb: toMebibytes(Number(size?.bytes ?? 0)),
        connections: Number(threads?.open ?? 0),
        longest_query_s: Number(threads?.longest ?? 0),
      };
    });
  } catch (error) {
    return unhealthy(reasonOf(error), problemOf(error));
  }
}
