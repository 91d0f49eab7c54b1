/** How finely measurements are kept, and for how long; in seconds. */
export interface Level {
  step: number;
  /** The buckets of this period are one row. */
  block: number;
  /** Older blocks are removed. */
  kept: number;
}

const hour = 3_600;
const day = 24 * hour;

/** From the finest to the coarsest: a year of them is about half a megabyte a tenant before compression. */
export const levels = [
  { step: 10, block: hour, kept: 2 * hour },
  { step: 60, block: hour, kept: 25 * hour },
  { step: hour, block: day, kept: 31 * day },
  { step: day, block: 32 * day, kept: 400 * day },
] as const satisfies readonly Level[];

export const ranges = {
  '1h': { seconds: hour, step: 10 },
  '24h': { seconds: day, step: 300 },
  '7d': { seconds: 7 * day, step: hour },
  '30d': { seconds: 30 * day, step: hour },
  '1y': { seconds: 365 * day, step: day },
} as const satisfies Record<string, { seconds: number; step: number }>;
export type Range = keyof typeof ranges;
export const rangeNames = Object.keys(ranges) as [Range, ...Range[]];

/** The steps that a caller can ask for, in seconds. */
export const steps = [10, 60, 300, 900, hour, 6 * hour, day] as const;

/** The level from which a step over a range is made; undefined: it is not kept that finely for so long. */
export const levelFor = (step: number, seconds: number): Level | undefined =>
  levels.findLast((level) => step % level.step === 0 && level.kept >= seconds);

export const startOf = (at: number, period: number): number => Math.floor(at / period) * period;
