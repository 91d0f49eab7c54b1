import type { Backup } from './queries.ts';

/** Rows in all tables; null without a database. */
export const rowsOf = ({ row_counts }: Pick<Backup, 'row_counts'>): number | null =>
  row_counts && Object.values(row_counts).reduce((sum, rows) => sum + rows, 0);
