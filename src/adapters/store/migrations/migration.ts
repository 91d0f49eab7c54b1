import type { QueryInterface } from 'sequelize';

/** One change of the schema. A name, once released, never changes. */
export interface Migration {
  name: string;
  up(schema: QueryInterface): Promise<void>;
}
