import type { Work } from '../../lib/concurrency/work.ts';
import type { FoundCause } from '../../lib/errors.ts';
import type { ImageAccess } from './image-access.ts';

/** Whether a runtime answers. `clockAheadMs`: of the engine's host against this one; undefined: unknown, or the same. */
export type Availability =
  | { available: true; version: string; clockAheadMs?: number | undefined }
  | { available: false; reason: string; found?: FoundCause | undefined };

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

/** Two containers of one network, made to be tried out. */
export interface ProbeContainers {
  /** One asks the other by its name. @throws ExplainedError */
  reachEachOther(work: Work): Promise<void>;
  /** The manager asks one at its published port; undefined: the manager uses no published ports. @throws ExplainedError */
  published: ((work: Work) => Promise<void>) | undefined;
  /** Resolves the name of an address, in a container. @throws ExplainedError */
  resolve(url: URL, work: Work): Promise<void>;
  /** Asks an address, in a container. @throws ExplainedError */
  request(url: URL, work: Work): Promise<void>;
}

/** What deployments need of a host, tried out. What is made has the instance's labels and is removed at the end. */
export interface RuntimeProbes {
  /** Asks the image's registry, and pulls what the engine does not have. @throws ExplainedError, also when there is a copy */
  pull(image: string, access: ImageAccess, work: Work): Promise<void>;
  /** Asks the image's registry, unless the engine has it. @throws ExplainedError */
  lookUp(image: string, access: ImageAccess, work: Work): Promise<void>;
  hasImage(image: string): Promise<boolean>;
  /** Builds an image of one line from this one. @throws ExplainedError */
  build(image: string, work: Work): Promise<void>;
  /** Creates a network as tenants have it. @throws ExplainedError */
  network(): Promise<void>;
  /** Starts two containers in the network. @throws ExplainedError */
  containers(image: string, work: Work): Promise<ProbeContainers>;
  /** Removes all of it, also what a killed manager left. */
  clear(): Promise<void>;
}
