import type { Transaction } from '../../platform/store/store.ts';

export interface PortPair {
  frontend: number;
  backend: number;
}

/** The ports of tenants. */
export interface PortService {
  /** The pairs of these tenants. */
  pairsOf(tenantIds: readonly string[], transaction?: Transaction): Promise<ReadonlyMap<string, PortPair>>;
  /**
   * Gives a new tenant its pair: the ports asked for, else the pool's next free pair. Holds the lock of all port changes until
   * the transaction ends.
   * @throws AppError validation_error, port_taken, ports_exhausted
   */
  allocate(
    tenantId: string,
    wanted: { frontend?: number | undefined; backend?: number | undefined },
    transaction: Transaction,
  ): Promise<PortPair>;
  /** Gives a tenant other ports. @throws AppError validation_error, port_taken */
  reassign(tenantId: string, pair: PortPair, transaction: Transaction): Promise<void>;
  /** @returns the ports released, in order */
  release(tenantId: string, transaction: Transaction): Promise<number[]>;
}
