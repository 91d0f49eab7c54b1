import { DataTypes, type Model, Op, type WhereOptions } from 'sequelize';
import { idType, instant } from '../../platform/store/columns.ts';
import { refuseDuplicate } from '../../platform/store/conflicts.ts';
import type { Store, Transaction } from '../../platform/store/store.ts';

interface PortRow {
  port: number;
  tenantId: string;
  role: 'frontend' | 'backend';
  allocatedAt: Date;
}

/** The allocated ports, a row each. */
export function createPortStore({ sequelize }: Store) {
  const ports = sequelize.define<Model<PortRow, PortRow>>(
    'PortAllocation',
    {
      port: { type: DataTypes.INTEGER, primaryKey: true },
      tenantId: { type: idType, allowNull: false },
      role: { type: DataTypes.STRING(20), allowNull: false },
      allocatedAt: { type: instant, allowNull: false },
    },
    { tableName: 'port_allocations' },
  );
  const rows = async (where: WhereOptions<PortRow>, transaction: Transaction | undefined): Promise<PortRow[]> =>
    (await ports.findAll({ where, order: ['port'], ...(transaction ? { transaction } : {}) })).map((row) => row.get());

  return {
    all: (transaction?: Transaction) => rows({}, transaction),
    ofTenants: (ids: readonly string[], transaction?: Transaction) =>
      ids.length === 0 ? Promise.resolve([]) : rows({ tenantId: { [Op.in]: [...ids] } }, transaction),
    /** @throws what `taken` answers when one of the ports has a use already */
    async insert(entries: readonly PortRow[], transaction: Transaction, taken: () => Error): Promise<void> {
      await refuseDuplicate(ports.bulkCreate([...entries], { transaction }), taken);
    },
    async removeOf(tenantId: string, transaction: Transaction): Promise<void> {
      await ports.destroy({ where: { tenantId }, transaction });
    },
  };
}

export type PortStore = ReturnType<typeof createPortStore>;
