import { dateFormat } from '../../lib/figures.ts';

const shown = dateFormat({ month: 'long', year: 'numeric', timeZone: 'UTC' });

/** Whether a text is a month like 2026-11. */
export const isMonth = (text: string): boolean => /^\d{4}-(0[1-9]|1[0-2])$/.test(text);

/** November 2026. @param month `2026-11` */
export const monthName = (month: string): string => shown.format(new Date(`${month}-15T00:00:00Z`));

/** The month that follows after some months; before, if negative. @param month `2026-11` */
export function monthAfter(month: string, months: number): string {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number - 1 + months, 15)).toISOString().slice(0, 7);
}

/** The present month in UTC. */
export const thisMonth = (): string => new Date().toISOString().slice(0, 7);
