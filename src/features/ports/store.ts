import { refuseDuplicate } from '../../adapters/store/conflicts.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import {
  defineTable,
  flag,
  instant,
  integer,
  key,
  ownedBy,
  type RowOf,
  tableIn,
  text,
  withDefault,
} from '../../adapters/store/table.ts';

const columns = {
  port: key(integer),
  tenantId: ownedBy('tenants'),
  role: text<'frontend' | 'backend'>(20),
  allocatedAt: instant,
  /** A user chose it, and it stays. */
  requested: withDefault(1, flag),
};
export const portAllocationsTable = defineTable('port_allocations', columns, { unique: [['tenantId', 'role']] });
/** A port and its tenant. */
export type PortRow = RowOf<typeof columns>;

/** The allocated ports, one row each. */
export function createPortStore(store: Store) {
  const ports = tableIn(store, portAllocationsTable);
  return {
    all: (transaction?: Transaction) => ports.all({ order: [['port', 'ASC']], transaction }),
    ofTenants: async (ids: readonly string[], transaction?: Transaction) =>
      ids.length === 0 ? [] : ports.all({ where: { tenantId: [...ids] }, order: [['port', 'ASC']], transaction }),
    /** @throws the error of `taken` if a port is already allocated */
    insert: (rows: readonly PortRow[], transaction: Transaction, taken: () => Error) =>
      refuseDuplicate(ports.insertAll(rows, transaction), taken),
    removeOf: (tenantId: string, transaction: Transaction) => ports.remove({ tenantId }, { transaction }),
  };
}

export type PortStore = ReturnType<typeof createPortStore>;
