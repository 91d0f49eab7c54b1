import type { Issue } from '../../../../lib/errors.ts';

/**
 * How far a fleet upgrade has got by the end of a ring: so many tenants, or so many of a hundred (`"10%"`, rounded up), the
 * rings before it included.
 */
export type RingSize = number | string;

/** The share in a size such as `"10%"`; undefined where it is a number of tenants. */
const percentOf = (size: RingSize): number | undefined =>
  typeof size === 'string' ? Number.parseInt(size, 10) : undefined;

/** Rings that can bring nobody, however many tenants there are, since an earlier one has got as far; as issues at `rings.<index>`. */
export function ringIssues(sizes: readonly RingSize[]): Issue[] {
  return sizes.flatMap((size, index) => {
    const before = sizes.slice(0, index).findLast((earlier) => reachesAsFar(earlier, size));
    if (before === undefined) return [];
    const message = `must be more than ${before}: a ring says how far all have got by its end, the rings before it included`;
    return [{ path: `rings.${index}`, message }];
  });
}

/** Whether a ring gets as far as another one whatever number of tenants there are. */
function reachesAsFar(earlier: RingSize, later: RingSize): boolean {
  const [before, after] = [percentOf(earlier), percentOf(later)];
  if (before !== undefined && after !== undefined) return before >= after;
  // With more tenants than it names the share grows, and with fewer the number means all of them.
  if (before !== undefined) return Math.ceil((Number(later) * before) / 100) >= Number(later);
  // Of enough tenants any share is more than a number.
  return after === undefined && Number(earlier) >= Number(later);
}

/**
 * Puts each item into one ring, in the order given. A ring that brings nobody new is empty, so that the numbers of rings
 * stay those that were asked for; who comes after the last ring is left out.
 */
export function divideIntoRings<T>(items: readonly T[], sizes: readonly RingSize[]): { rings: T[][]; left: T[] } {
  let reached = 0;
  const rings = sizes.map((size) => {
    const percent = percentOf(size);
    const asked = percent === undefined ? Number(size) : Math.ceil((items.length * percent) / 100);
    const end = Math.min(items.length, Math.max(reached, asked));
    const ring = items.slice(reached, end);
    reached = end;
    return ring;
  });
  return { rings, left: items.slice(reached) };
}
