import { AppError } from '../../lib/errors.ts';
import { largestSide, smallestSide } from './image.ts';

/** A picture that is not taken, and the rule it breaks. */
export const refuse = (rule: string, cause?: unknown): AppError => new AppError('unsupported_file', rule, { cause });

/** @throws AppError unsupported_file */
export function assertSize(width: number, height: number): void {
  const seen = `it has ${Math.round(width)} × ${Math.round(height)}`;
  if (Math.max(width, height) > largestSide)
    throw refuse(`must be at most ${largestSide} pixels wide and high; ${seen}`);
  if (Math.min(width, height) < smallestSide)
    throw refuse(`must be at least ${smallestSide} pixels wide and high; ${seen}`);
}
