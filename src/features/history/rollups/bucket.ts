/** The values of one metric in a period. */
export interface Stat {
  count: number;
  sum: number;
  max: number;
}

/** The measurements of a period, by metric; undefined: none of that metric. */
export interface Bucket {
  /** Where it starts, in seconds since 1970. */
  at: number;
  stats: (Stat | undefined)[];
}

/** A measurement: values by metric, NaN where there is none. */
export interface Sample {
  /** In seconds since 1970. */
  at: number;
  values: ArrayLike<number>;
}

const add = (one: Stat | undefined, other: Stat | undefined): Stat | undefined =>
  one && other
    ? { count: one.count + other.count, sum: one.sum + other.sum, max: Math.max(one.max, other.max) }
    : (one ?? other);

/** A measurement as the bucket of its moment. */
export const bucketOf = ({ at, values }: Sample): Bucket => ({
  at,
  stats: Array.from(values, (value) => (Number.isNaN(value) ? undefined : { count: 1, sum: value, max: value })),
});

/**
 * Joins buckets to those of a longer period. The order of the result is that of time; a period without measurements has no
 * bucket.
 * @param step the period, in seconds; each starts at a multiple of it since 1970 (UTC)
 */
export function rollUp(buckets: Iterable<Bucket>, step: number): Bucket[] {
  const joined = new Map<number, Bucket>();
  for (const { at, stats } of buckets) {
    const start = Math.floor(at / step) * step;
    const known = joined.get(start);
    if (!known) joined.set(start, { at: start, stats: [...stats] });
    else for (const [index, stat] of stats.entries()) known.stats[index] = add(known.stats[index], stat);
  }
  return [...joined.values()].sort((one, other) => one.at - other.at);
}

/** All values of one metric in these buckets. */
export const totalOf = (buckets: Iterable<Bucket>, metric: number): Stat | undefined => {
  let total: Stat | undefined;
  for (const { stats } of buckets) total = add(total, stats[metric]);
  return total;
};
