/** A host of the runtime's engine cluster. */
export interface RuntimeNode {
  id: string;
  hostname: string;
  /** `down`: units that ran there may still run. */
  state: 'ready' | 'down' | 'unknown';
  availability: 'active' | 'pause' | 'drain';
  role: 'manager' | 'worker';
  address: string;
  engineVersion: string;
  /** Whether it has the shared storage. */
  storage: 'ok' | 'missing' | 'unknown';
  /** Whether programs there can't gain privileges; undefined where it is not known. */
  noNewPrivileges: boolean | undefined;
  /** What units there can't do over the network, each after `Units on <hostname> …`. */
  networkProblems: string[];
  cpus: number;
  memoryBytes: number;
  /** Memory that all tasks there reserve; no unit is placed where it would exceed the node's. */
  reservedBytes: number;
  /** The part of it that tenants' units and jobs reserve. */
  tenantsReservedBytes: number;
  /** Slugs of the tenants with a unit that runs there. */
  tenants: string[];
  /** What it used in the last minutes; undefined where it is not known. */
  usage?: NodeUsage | undefined;
}

export interface NodeUsage {
  /** Average number of busy processor cores between two measurements; null at the first. */
  cpuCores: number | null;
  memoryBytes: number;
  /** The disk of the engine's directory; undefined: not measured. */
  disk: { usedBytes: number; freeBytes: number } | undefined;
}

/** The hosts of a runtime that has several. */
export interface RuntimeNodes {
  /** By host name. @throws AppError runtime_unavailable */
  list(): Promise<RuntimeNode[]>;
  /** `drain`: its units move to other nodes, and no more are placed there. @throws AppError not_found, runtime_unavailable */
  setAvailability(id: string, availability: 'active' | 'drain'): Promise<void>;
}
