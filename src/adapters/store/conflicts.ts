import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, ForeignKeyConstraintError, UniqueConstraintError } from 'sequelize';

/** Deadlock, and lock timeout: MySQL and MariaDB ask to repeat the transaction. */
const retryable = new Set(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT']);
const maxAttempts = 5;

/** Repeats a whole transaction that the database aborted because of a conflict. */
export async function retryDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      const code = error instanceof DatabaseError ? (error.parent as { code?: string }).code : undefined;
      if (code === undefined || !retryable.has(code) || attempt === maxAttempts) throw error;
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
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
