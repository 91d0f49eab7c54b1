import { DatabaseError, ForeignKeyConstraintError, UniqueConstraintError } from 'sequelize';
import { retry } from '../../lib/concurrency/retry.ts';

/** Deadlock, and lock timeout: MySQL and MariaDB ask to repeat the transaction. */
const retryable = new Set(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT']);

/** Repeats a whole transaction that the database aborted because of a conflict, up to four times. */
export function retryDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  return retry(transaction, {
    delaysMs: [40, 80, 160, 320].map((maxMs) => Math.random() * maxMs),
    isTransient: (error) =>
      error instanceof DatabaseError && retryable.has((error.parent as { code?: string }).code ?? ''),
  });
}

/** Runs a write; if a row with the same unique value exists, throws `taken()` instead of the database's error. */
export async function refuseDuplicate<T>(write: Promise<T>, taken: () => Error): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw error instanceof UniqueConstraintError ? taken() : error;
  }
}

/** Runs a write; if the row that it refers to is missing, throws `missing()` instead of the database's error. */
export async function refuseOrphan<T>(write: Promise<T>, missing: () => Error): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw error instanceof ForeignKeyConstraintError ? missing() : error;
  }
}
