import { number } from '../../lib/figures.ts';

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats bytes in powers of 1,000: 3.4 MB. */
export function sizeText(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** power;
  return `${number(value, power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}
