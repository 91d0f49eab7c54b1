import { AppError } from '../../../lib/errors.ts';
import type { Deployments } from '../../deployments/deployments.ts';

/**
 * The cause of a failed preparation: if the disk is full now, that is the cause, whichever program reported it, and not a
 * fault of the version.
 */
export async function classifyFailure(
  error: unknown,
  { assertDiskSpace }: Pick<Deployments['parts'], 'assertDiskSpace'>,
): Promise<unknown> {
  if (error instanceof AppError) return error;
  return assertDiskSpace().then(
    () => error,
    (full: unknown) => (full instanceof AppError && full.code === 'insufficient_storage' ? full : error),
  );
}
