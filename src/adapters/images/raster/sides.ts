interface Sides {
  width: number;
  height: number;
}

/** Whole pixels of the same shape, with the given longer side. */
export function sidesWithin({ width, height }: Sides, longest: number): Sides {
  const scale = longest / Math.max(width, height);
  const scaled = (side: number): number => Math.max(1, Math.round(side * scale));
  return { width: scaled(width), height: scaled(height) };
}
