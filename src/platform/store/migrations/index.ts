import type { QueryInterface } from 'sequelize';
import { createTables } from './0001-create-tables.ts';

export interface Migration {
  name: string;
  up(schema: QueryInterface): Promise<void>;
}

/** All schema changes in order. A name, once released, never changes. */
export const migrations: readonly Migration[] = [createTables];
