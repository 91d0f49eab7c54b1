import type { Issue } from '../../../../lib/errors.ts';

/** How many tenants are upgraded by the end of a ring, earlier rings included: a number, or a percentage (`"10%"`, rounded up). */
export type RingSize = number | string;

/** The percentage in a size such as `"10%"`; undefined for a number of tenants. */
const percentOf = (size: RingSize): number | undefined =>
  typeof size === 'string' ? Number.parseInt(size, 10) : undefined;

/** Issues at `rings.<index>` for rings that are empty for any number of tenants because an earlier ring reaches as far. */
export function ringIssues(sizes: readonly RingSize[]): Issue[] {
  return sizes.flatMap((size, index) => {
    const before = sizes.slice(0, index).findLast((earlier) => reachesAsFar(earlier, size));
    if (before === undefined) return [];
    const message = `must be more than ${before}: each ring includes the tenants of the rings before it`;
    return [{ path: `rings.${index}`, message }];
  });
}

/** Whether a ring reaches as far as another one for any number of tenants. */
function reachesAsFar(earlier: RingSize, later: RingSize): boolean {
  const [before, after] = [percentOf(earlier), percentOf(later)];
  if (before !== undefined && after !== undefined) return before >= after;
  // With more tenants the percentage covers more, and with fewer the number covers all of them.
  if (before !== undefined) return Math.ceil((Number(later) * before) / 100) >= Number(later);
  // For enough tenants, any percentage is more than a number.
  return after === undefined && Number(earlier) >= Number(later);
}

/** Puts each item into one ring, in the given order. Rings may be empty, so that their numbers stay; items after the last ring are left out. */
export function divideIntoRings<T>(items: readonly T[], sizes: readonly RingSize[]): { rings: T[][]; left: T[] } {
  let reached = 0;
  const rings = sizes.map((size) => {
    const percent = percentOf(size);
    const wanted = percent === undefined ? Number(size) : Math.ceil((items.length * percent) / 100);
    const end = Math.min(items.length, Math.max(reached, wanted));
    const ring = items.slice(reached, end);
    reached = end;
    return ring;
  });
  return { rings, left: items.slice(reached) };
}
