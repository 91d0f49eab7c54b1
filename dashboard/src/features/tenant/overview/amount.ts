const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Bytes as people say them: 61 MB, 1.5 GB. Steps of 1,024, as limits are given. */
export function bytes(count: number): string {
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(count) / 10));
  const amount = count / 1024 ** power;
  return `${amount.toLocaleString('en', { maximumFractionDigits: amount < 10 && power > 1 ? 1 : 0 })} ${units[power]}`;
}
