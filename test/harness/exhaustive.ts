import { createHash } from 'node:crypto';

/** Whether everything is tested that takes minutes (`npm run test:exhaustive`): before a release, and after a change to these parts. */
export const isExhaustive = process.env.TEST_EXHAUSTIVE === 'true';

/** Set by `npm test`, which prints it: the same seed chooses the same moments. */
const seed = process.env.TEST_SEED ?? '0';

/**
 * A sample of the moments at which a drill kills the manager, in their order; all of them with `npm run test:exhaustive`.
 * @param drill chooses other moments for each drill
 */
export function sampled<T>(drill: string, count: number, moments: readonly T[]): readonly T[] {
  if (isExhaustive) return moments;
  const rank = (moment: T): string =>
    createHash('sha256')
      .update(JSON.stringify([seed, drill, moment]))
      .digest('hex');
  const chosen = moments.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1)).slice(0, count);
  return moments.filter((moment) => chosen.includes(moment));
}
