import { AppError } from '../../lib/errors.ts';

/** The one error for a file that can't be read; `reason` is a sentence for its user. */
export function refused(reason: string, cause?: unknown): AppError {
  return new AppError('unsupported_file', reason, { cause });
}
