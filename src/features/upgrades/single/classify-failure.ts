import { AppError } from '../../../lib/errors.ts';
import type { UpgradeDependencies } from '../dependencies.ts';

/**
 * What preparing a version failed of: where the disk has become full meanwhile that is it, whatever program stumbled over it.
 * The version is not to blame then.
 */
export async function classifyFailure(
  error: unknown,
  { assertRoom }: Pick<UpgradeDependencies['deployments']['parts'], 'assertRoom'>,
): Promise<unknown> {
  if (error instanceof AppError) return error;
  return assertRoom().then(
    () => error,
    (full: unknown) => (full instanceof AppError && full.code === 'insufficient_storage' ? full : error),
  );
}
