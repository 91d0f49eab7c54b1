import type { Store } from '../../../src/adapters/store/store.ts';

/** A tenant's row, for rows that refer to one. */
export async function addTenant({ sequelize }: Store, id: string): Promise<void> {
  await sequelize.getQueryInterface().bulkInsert('tenants', [
    {
      id,
      name: id,
      slug: id,
      status: 'pending',
      health_status: 'unknown',
      directory: `/data/${id}`,
      created_at: new Date(),
      search_text: id,
    },
  ]);
}
