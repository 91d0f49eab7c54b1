import { createTables } from './0001-create-tables.ts';
import type { Migration } from './migration.ts';

/** All schema changes in order. A name, once released, never changes. */
export const migrations: readonly Migration[] = [createTables];
