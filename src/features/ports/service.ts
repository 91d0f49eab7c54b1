import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalid } from '../../lib/errors.ts';
import { freePairs, nextFreePair, type PortPair, type PortPool, pairsOf, partnerOf } from './allocate.ts';
import type { EphemeralPorts } from './ephemeral.ts';
import type { PortRow, PortStore } from './store.ts';

export type { PortPair, PortPool } from './allocate.ts';

const minPort = 1_024;
const maxPort = 65_535;
/** The overview lists at most this many free pairs. */
const maxListedFreePairs = 100;

interface RequestedPorts {
  frontend?: number | undefined;
  backend?: number | undefined;
}

interface Allocation extends PortPair {
  tenantId: string;
  allocatedAt: Date;
}

export interface ReplacedPorts {
  /** The port that is in use. */
  taken: number;
  pair: PortPair;
}

interface PortOverview {
  inUse: Allocation[];
  /** The next free pairs of the pool. */
  free: PortPair[];
  /** All free pairs of the pool. */
  freeCount: number;
  pool: PortPool;
}

/** Allocates ports to tenants. */
export interface PortService {
  /** The pairs of these tenants. */
  pairsOf(tenantIds: readonly string[], transaction?: Transaction): Promise<ReadonlyMap<string, PortPair>>;
  /**
   * Allocates the requested ports or the pool's next free pair to a new tenant. Holds the lock on port changes until the
   * transaction ends.
   * @throws AppError validation_error, port_taken, ports_exhausted
   */
  allocate(tenantId: string, requested: RequestedPorts, transaction: Transaction): Promise<PortPair>;
  /** Replaces a tenant's ports. Does not probe ports that the tenant already has. @throws AppError validation_error, port_taken */
  reassign(tenantId: string, pair: PortPair, transaction: Transaction): Promise<void>;
  /**
   * Gives a tenant the pool's next free pair if another process on the host has taken one of its ports, unless a user chose them.
   * @throws AppError ports_exhausted
   */
  replaceTaken(tenantId: string, transaction: Transaction): Promise<ReplacedPorts | undefined>;
  /** @returns the released ports in order */
  release(tenantId: string, transaction: Transaction): Promise<number[]>;
  /** The pair that a new tenant would get. @throws AppError ports_exhausted */
  nextAvailable(): Promise<PortPair>;
  overview(): Promise<PortOverview>;
}

export interface PortsDeps {
  store: Store;
  clock: Clock;
  pool: PortPool;
  /** Whether a process on the host listens on the port (default: createHostPortProbe). */
  isListening?(port: number): Promise<boolean>;
  /** Allocated last (default: read from the kernel's settings). */
  ephemeral?: EphemeralPorts;
}

export function createPortService(rows: PortStore, deps: Required<PortsDeps>): PortService {
  const { store, clock, pool, ephemeral, isListening } = deps;
  const takenPorts = async (transaction?: Transaction, except?: string): Promise<Set<number>> =>
    new Set((await rows.all(transaction)).filter((row) => row.tenantId !== except).map((row) => row.port));

  /** Skips pairs with a port that another process on the host uses. */
  async function nextPair(taken: Set<number>): Promise<PortPair> {
    for (let pair = nextFreePair(pool, taken, ephemeral); pair; pair = nextFreePair(pool, taken, ephemeral)) {
      if (!(await isListening(pair.frontend)) && !(await isListening(pair.backend))) return pair;
      taken.add(pair.frontend).add(pair.backend);
    }
    throw new AppError(
      'ports_exhausted',
      `No free pair of ports is left in ${pool.start} to ${pool.end}. Enlarge the pool or delete a tenant.`,
    );
  }

  async function assertFree(pair: PortPair, taken: ReadonlySet<number>, own: ReadonlySet<number>): Promise<void> {
    for (const port of [pair.frontend, pair.backend]) {
      if (taken.has(port)) throw portTaken(port, 'belongs to another tenant. Choose another port.');
      if (!own.has(port) && (await isListening(port)))
        throw portTaken(
          port,
          'is in use by another process on this machine. Choose another port or stop that process.',
        );
    }
  }

  async function insert(tenantId: string, pair: PortPair, requested: boolean, transaction: Transaction): Promise<void> {
    const common = { tenantId, allocatedAt: clock.now(), requested };
    await rows.insert(
      [
        { ...common, port: pair.frontend, role: 'frontend' },
        { ...common, port: pair.backend, role: 'backend' },
      ],
      transaction,
      () =>
        new AppError(
          'port_taken',
          `Another tenant has just taken port ${pair.frontend} or ${pair.backend}. Try again.`,
        ),
    );
  }

  return {
    async pairsOf(tenantIds, transaction) {
      return new Map(pairs(await rows.ofTenants(tenantIds, transaction)).map((pair) => [pair.tenantId, pair]));
    },

    async allocate(tenantId, requested, transaction) {
      const explicit = explicitPair(requested, pool);
      await store.lock('ports', transaction);
      const taken = await takenPorts(transaction);
      const pair = explicit ?? (await nextPair(taken));
      if (explicit) await assertFree(explicit, taken, new Set());
      await insert(tenantId, pair, explicit !== undefined, transaction);
      return pair;
    },

    async reassign(tenantId, pair, transaction) {
      assertPair(pair);
      await store.lock('ports', transaction);
      const own = new Set((await rows.ofTenants([tenantId], transaction)).map((row) => row.port));
      await assertFree(pair, await takenPorts(transaction, tenantId), own);
      await rows.removeOf(tenantId, transaction);
      await insert(tenantId, pair, true, transaction);
    },

    async replaceTaken(tenantId, transaction) {
      await store.lock('ports', transaction);
      for (const { port, requested } of await rows.ofTenants([tenantId], transaction)) {
        if (requested || !(await isListening(port))) continue;
        const pair = await nextPair(await takenPorts(transaction));
        await rows.removeOf(tenantId, transaction);
        await insert(tenantId, pair, false, transaction);
        return { taken: port, pair };
      }
      return undefined;
    },

    async release(tenantId, transaction) {
      const released = (await rows.ofTenants([tenantId], transaction)).map((row) => row.port);
      await rows.removeOf(tenantId, transaction);
      return released;
    },

    async nextAvailable() {
      return nextPair(await takenPorts());
    },

    async overview() {
      const all = await rows.all();
      const taken = new Set(all.map((row) => row.port));
      const free = [...freePairs(pool, taken, ephemeral)];
      return { inUse: pairs(all), free: free.slice(0, maxListedFreePairs), freeCount: free.length, pool };
    },
  };
}

/** The requested pair, completed if only one port is given; undefined if none is. */
function explicitPair(requested: RequestedPorts, pool: PortPool): PortPair | undefined {
  const { frontend, backend } = requested;
  if (frontend === undefined && backend === undefined) return undefined;
  const pair = {
    frontend: frontend ?? partnerOf(pool, backend as number, 'backend'),
    backend: backend ?? partnerOf(pool, frontend as number, 'frontend'),
  };
  assertPair(pair);
  return pair;
}

function assertPair(pair: PortPair): void {
  for (const [field, port] of [['frontend_port', pair.frontend] as const, ['backend_port', pair.backend] as const]) {
    if (port < minPort || port > maxPort) throw invalid(field, `${port} is not between ${minPort} and ${maxPort}`);
  }
  if (pair.frontend === pair.backend) throw invalid('backend_port', 'must differ from frontend_port');
}

const portTaken = (port: number, why: string): AppError => new AppError('port_taken', `Port ${port} ${why}`);

/** Combines rows into pairs, ordered by frontend port; a pair has the other fields of its frontend row. */
function pairs<Row extends PortRow>(rows: readonly Row[]): (Omit<Row, 'port' | 'role'> & PortPair)[] {
  const backends = new Map(rows.filter((row) => row.role === 'backend').map((row) => [row.tenantId, row.port]));
  return rows.flatMap(({ role, port, ...rest }) => {
    const backend = backends.get(rest.tenantId);
    return role === 'frontend' && backend !== undefined ? [{ ...rest, frontend: port, backend }] : [];
  });
}

/** @throws Error unless the pool contains at least one pair of ports */
export function assertPool(pool: PortPool): void {
  if (pool.start < minPort || pool.end > maxPort || pairsOf(pool).next().done)
    throw new Error(`The port pool ${pool.start} to ${pool.end} contains no pair between ${minPort} and ${maxPort}`);
}
