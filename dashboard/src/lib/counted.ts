import { number } from './figures.ts';

/** 1 column, 2 columns */
export const counted = (count: number, one: string, many: string): string =>
  `${number(count)} ${count === 1 ? one : many}`;
export const people = (count: number): string => counted(count, 'person', 'people');
export const rows = (count: number): string => counted(count, 'row', 'rows');
export const tenants = (count: number): string => counted(count, 'tenant', 'tenants');
