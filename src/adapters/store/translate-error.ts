import { AccessDeniedError, ConnectionError, DatabaseError } from 'sequelize';
import { AppError } from '../../lib/errors.ts';

/** The drivers' codes for a connection lost during a query. */
const lost = new Set([
  'PROTOCOL_CONNECTION_LOST',
  'ECONNRESET',
  'EPIPE',
  'ECONNREFUSED',
  'ETIMEDOUT',
  'ER_SERVER_SHUTDOWN',
  'SQLITE_BUSY',
]);
/** … and a full disk. */
const full = new Set(['SQLITE_FULL', 'ER_DISK_FULL', 'ER_RECORD_FILE_FULL']);

/** Translates a database's failure that is not the query's fault; undefined for any other error. */
export function storeFailure(error: unknown): AppError | undefined {
  const options = { cause: error };
  if (error instanceof ConnectionError) {
    return new AppError(
      'database_unavailable',
      'The manager’s database does not answer; try again in a moment',
      options,
    );
  }
  const code = error instanceof DatabaseError ? (error.parent as { code?: string }).code : undefined;
  if (code === undefined) return undefined;
  if (full.has(code))
    return new AppError(
      'insufficient_storage',
      'The disk of the manager’s database is full: make room on it; until then changes are not saved',
      options,
    );
  return lost.has(code)
    ? new AppError(
        'database_unavailable',
        'The connection to the manager’s database was lost; try again in a moment',
        options,
      )
    : undefined;
}

/** Why a database could not be opened; undefined if it is not the connection. */
export function connectionFailure(error: unknown): 'access_denied' | 'unreachable' | undefined {
  if (error instanceof AccessDeniedError) return 'access_denied';
  return error instanceof ConnectionError ? 'unreachable' : undefined;
}

/** Whether the store does not answer right now. */
export const isStoreUnavailable = (error: unknown): boolean => storeFailure(error)?.code === 'database_unavailable';
