import { DataTypes, type Model } from 'sequelize';
import { fromRawInstant, idType, instant, type RawInstant } from '../../adapters/store/columns.ts';
import { refuseDuplicate } from '../../adapters/store/conflicts.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';

/** A port and its tenant. */
export interface AllocatedPort {
  port: number;
  tenantId: string;
  role: 'frontend' | 'backend';
}

interface PortRow extends AllocatedPort {
  allocatedAt: Date;
}

type RawPortRow = Omit<PortRow, 'allocatedAt'> & { allocatedAt: RawInstant };

/** The allocated ports, one row each. */
export function createPortStore({ sequelize, select }: Store) {
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
  const columns = 'port, tenant_id AS tenantId, role';

  return {
    async all(transaction?: Transaction): Promise<PortRow[]> {
      const sql = `SELECT ${columns}, allocated_at AS allocatedAt FROM port_allocations ORDER BY port`;
      const found = await select<RawPortRow>(sql, {}, transaction);
      return found.map((row) => ({ ...row, allocatedAt: fromRawInstant(row.allocatedAt) }));
    },
    async ofTenants(ids: readonly string[], transaction?: Transaction): Promise<AllocatedPort[]> {
      if (ids.length === 0) return [];
      const sql = `SELECT ${columns} FROM port_allocations WHERE tenant_id IN (:ids) ORDER BY port`;
      return select<AllocatedPort>(sql, { ids }, transaction);
    },
    /** @throws the error of `taken` if a port is already allocated */
    async insert(entries: readonly PortRow[], transaction: Transaction, taken: () => Error): Promise<void> {
      await refuseDuplicate(ports.bulkCreate([...entries], { transaction }), taken);
    },
    async removeOf(tenantId: string, transaction: Transaction): Promise<void> {
      await ports.destroy({ where: { tenantId }, transaction });
    },
  };
}

export type PortStore = ReturnType<typeof createPortStore>;
