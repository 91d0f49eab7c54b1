import { createConnection, type RowDataPacket } from 'mysql2';
import { actingDeadline } from '../../../lib/concurrency/acting-deadline.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';

export interface Account {
  host: string;
  port: number;
  user: string;
  password: string;
  database?: string;
}

/** Runs one statement; values are escaped, `??` takes identifiers. */
export type Query = (sql: string, values?: readonly (string | number)[]) => Promise<Record<string, unknown>[]>;

/**
 * A connection for one piece of work, which ends within `timeoutMs`, connecting included, also when the server accepts the
 * connection and does not answer.
 * @throws the driver's Error, or a timeout error
 */
export async function withConnection<T>(
  account: Account,
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
  work: (query: Query) => Promise<T>,
): Promise<T> {
  options.signal?.throwIfAborted();
  const connection = createConnection({
    ...account,
    charset: 'utf8mb4',
    connectTimeout: options.timeoutMs,
    multipleStatements: false,
    supportBigNumbers: true,
  });
  // The driver reports a broken connection to the running command and as an event; the command's error is enough.
  connection.on('error', () => undefined);
  const query: Query = (sql, values = []) =>
    new Promise((resolve, reject) => {
      actingDeadline.check();
      connection.query<RowDataPacket[]>(sql, [...values], (error, rows) => (error ? reject(error) : resolve(rows)));
    });
  try {
    return await withTimeout(() => work(query), options);
  } finally {
    connection.destroy();
  }
}

/** `mysql://user:password@host:port/name`, each part encoded. */
export function urlOf(account: Account & { database: string }): string {
  const { host, port, user, password, database } = account;
  const address = host.includes(':') ? `[${host}]` : host;
  return `mysql://${encodeURIComponent(user)}:${encodeURIComponent(password)}@${address}:${port}/${encodeURIComponent(database)}`;
}
