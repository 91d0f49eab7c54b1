/** Seconds a first deployment takes where nothing is known yet. */
const withoutExperience = 60;

/** The median of past durations in whole seconds, at least 1; a default where there are none. */
export function estimateSeconds(pastDurations: readonly number[]): number {
  if (pastDurations.length === 0) return withoutExperience;
  const sorted = [...pastDurations].sort((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)] ?? withoutExperience;
  return Math.max(1, Math.round(middle));
}
