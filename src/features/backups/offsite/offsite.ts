const firstMs = 5 * 60_000;
const longestMs = 6 * 3_600_000;

/** How long something outside is left alone after so many failures in a row: five minutes, twice as long each time, at most six hours. */
export function retryDelayMs(failures: number): number {
  return failures === 0 ? 0 : Math.min(longestMs, firstMs * 2 ** (failures - 1));
}
