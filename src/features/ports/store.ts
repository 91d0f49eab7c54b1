import { refuseDuplicate } from '../../adapters/store/conflicts.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import { defineTable, flag, id, instant, integer, key, type RowOf, text } from '../../adapters/store/table.ts';

const columns = {
  port: key(integer),
  tenantId: id,
  role: text<'frontend' | 'backend'>(20),
  allocatedAt: instant,
  /** A user chose it, and it stays. */
  requested: flag,
};
/** A port and its tenant. */
export type PortRow = RowOf<typeof columns>;

/** The allocated ports, one row each. */
export function createPortStore(store: Store) {
  const ports = defineTable(store, 'port_allocations', columns);
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
