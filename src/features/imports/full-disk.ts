import { AppError } from '../../kernel/errors.ts';

/** Does work that writes files. @throws AppError insufficient_storage where the disk becomes full, in a thread of its own too */
export async function writing<T>(what: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const code = String((error as { code?: unknown } | null)?.code);
    if (code !== 'ENOSPC' && code !== 'EDQUOT') throw error;
    throw new AppError('insufficient_storage', `The disk became full: no room for ${what}`, { cause: error });
  }
}
