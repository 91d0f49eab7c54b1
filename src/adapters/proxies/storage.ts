import { AppError, messageOf } from '../../lib/errors.ts';
import { isDiskFull } from '../../lib/files/disk-full-error.ts';

/** An error of the file system, told as what it means for the change: no room is no fault of the configuration. */
export function storageError(error: unknown, what: string): Error {
  if (error instanceof AppError) return error;
  const text = `${what} could not be written, what was there before stays: ${messageOf(error)}`;
  return isDiskFull(error)
    ? new AppError('insufficient_storage', text, { cause: error })
    : new Error(text, { cause: error });
}
