import { number } from '../../lib/figures.ts';

/** A time span by its largest units: 45 s, 12 min, 3 h 5 min, 2 d 4 h. */
export function lasted(seconds: number): string {
  if (seconds < 60) return `${number(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${number(minutes)} min`;
  const hours = Math.floor(minutes / 60);
  const [big, small] =
    hours < 24
      ? [`${number(hours)} h`, minutes % 60 ? `${minutes % 60} min` : '']
      : [`${number(Math.floor(hours / 24))} d`, hours % 24 ? `${hours % 24} h` : ''];
  return small === '' ? big : `${big} ${small}`;
}
