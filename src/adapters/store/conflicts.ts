import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError, ForeignKeyConstraintError, UniqueConstraintError } from 'sequelize';

/** Deadlock, and a lock waited for too long: MySQL and MariaDB ask to begin the transaction anew. */
const retryable = new Set(['ER_LOCK_DEADLOCK', 'ER_LOCK_WAIT_TIMEOUT']);
const mostAttempts = 5;

/** Runs a whole transaction again where the database gave it up for another's sake. */
export async function retryDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transaction();
    } catch (error) {
      const code = error instanceof DatabaseError ? (error.parent as { code?: string }).code : undefined;
      if (code === undefined || !retryable.has(code) || attempt === mostAttempts) throw error;
      await sleep(Math.random() * 20 * 2 ** attempt);
    }
  }
}

/** Does the write; where a row with the same unique value is there already, throws `taken()` instead of the database's error. */
export async function refuseDuplicate<T>(write: Promise<T>, taken: () => Error): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw error instanceof UniqueConstraintError ? taken() : error;
  }
}

/** Does the write; where the row that it refers to is gone, throws `missing()` instead of the database's error. */
export async function refuseOrphan<T>(write: Promise<T>, missing: () => Error): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw error instanceof ForeignKeyConstraintError ? missing() : error;
  }
}
