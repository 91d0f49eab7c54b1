import { z } from 'zod';
import { moment } from './moment.js';
import { tableStore } from './table-store.js';

export const eventInput = z.strictObject({
  title: z.string().trim().min(1).max(200),
  starts_at: moment,
  location: z.string().trim().max(200).nullable().optional(),
  description: z.string().trim().max(10_000).nullable().optional(),
});

/** @param {import('./database/database.js').Database} database */
export const eventStore = (database) =>
  tableStore(database, {
    table: 'events',
    columns: ['title', 'starts_at', 'location', 'description'],
    order: 'starts_at',
  });
