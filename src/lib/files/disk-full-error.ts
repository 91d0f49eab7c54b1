import { AppError } from '../errors.ts';

const codes = new Set(['ENOSPC', 'EDQUOT']);

/** Whether a file system was full, also when that is the cause of another error. */
export function isDiskFull(error: unknown): boolean {
  for (let inner = error; typeof inner === 'object' && inner !== null; inner = (inner as Error).cause) {
    if (codes.has(String((inner as NodeJS.ErrnoException).code))) return true;
    if (inner instanceof AppError) return inner.code === 'insufficient_storage';
  }
  return false;
}

/** Runs work that writes files. @throws AppError insufficient_storage when the disk is full, in a worker thread too */
export async function writing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof AppError || !isDiskFull(error)) throw error;
    throw new AppError('insufficient_storage', `The disk is full: no room for ${what}`, { cause: error });
  }
}
