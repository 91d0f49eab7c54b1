import { AppError, messageOf } from '../../kernel/errors.ts';

/** An error of the file system, told as what it means for the change: no room is no fault of the configuration. */
export function storageError(error: unknown, what: string): Error {
  if (error instanceof AppError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const text = `${what} could not be written, what was there before stays: ${messageOf(error)}`;
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? new AppError('insufficient_storage', text, { cause: error })
    : new Error(text, { cause: error });
}
