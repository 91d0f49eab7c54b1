import type { Work } from '../../lib/concurrency/work.ts';
import type { ImageAccess, RuntimeImages } from './image-access.ts';
import type { Availability, RuntimeNodes, RuntimeProbes } from './nodes.ts';
import type { PortHolder } from './port-holder.ts';
import type { TenantData, TenantSpace } from './tenant-data.ts';

export type { TenantData, TenantSpace } from './tenant-data.ts';

/** The resources a running unit uses, as its engine counts them. */
export interface UnitUsage {
  /** Processor time since its start, in milliseconds over all processors; null when it is not counted. */
  cpuMs: number | null;
  memoryBytes: number;
  /** null: unlimited. */
  memoryLimitBytes: number | null;
}

export type RuntimeKind = 'docker' | 'swarm' | 'systemd' | 'process';

export const unitRoles = ['api', 'frontend'] as const;
export type UnitRole = (typeof unitRoles)[number];

/** A unit is identified by its tenant and role; see `unitName`. */
export interface UnitRef {
  tenant: TenantSpace;
  role: UnitRole;
}

/** What `tenant.yaml` specifies for one unit. */
export interface UnitDefinition {
  start?: string | undefined;
  /** The port inside the container. */
  port: number;
  image?:
    | {
        dockerfile: string;
        target?: string | undefined;
        /** Its container can write to its data, its imports and a /tmp of its own alone. */
        read_only?: boolean | undefined;
      }
    | undefined;
  /** The path of its health page, for runtimes that watch it themselves. */
  health?: string | undefined;
}

/** A version's code ready to run, shared by every tenant at that commit. */
export interface Release {
  /** Stable per repository and commit: `<repository key>-<commit>`, safe as a file name and an image tag. */
  key: string;
  commit: string;
  /** The checkout on the manager's disk (absolute); only its install line writes into it. */
  checkout: string;
}

export interface ReleaseRequest extends Release {
  units: Record<UnitRole, UnitDefinition>;
  /** The repository's own install line; process and systemd run it in the checkout. */
  install?: string | undefined;
  access?: ImageAccess | undefined;
  requestedBy?: TenantSpace | undefined;
}

export interface UnitLimits {
  memoryMb: number;
  cpus: number;
  pids: number;
}

/** The specification of a unit; two equal ones are the same unit. */
export interface UnitSpec extends UnitRef {
  release: Release;
  definition: UnitDefinition;
  /** The environment both units share; the runtime adds PORT, HOST and its own variables. */
  environment: Readonly<Record<string, string>>;
  /** The tenant's port for this unit: on the host's loopback, or on the node that runs it. */
  hostPort: number;
  limits: UnitLimits;
}

/** Commands run in a unit's environment (migrations), from a release that may not be live yet. */
export type JobSpec = Omit<UnitSpec, 'hostPort'>;

/** How one command of a job ended. */
export interface CommandEnd {
  /** null: killed. */
  exitCode: number | null;
  timedOut: boolean;
}

/**
 * Runs a command line of the tenant repository's own to its end; each line of its output goes to the job's `work.log`. A
 * timeout ends it and the whole job. @throws the signal's reason when aborted
 */
export type RunCommand = (command: string, options: { timeoutMs: number }) => Promise<CommandEnd>;

/** How a unit's last run ended. */
export interface UnitExit {
  /** null: ended by a signal, or it is not known how. */
  code: number | null;
  signal: string | null;
  outOfMemory: boolean;
  startedAt: Date | null;
  at: Date | null;
}

/** What keeps a unit from running besides its own end. `unhealthy`: it was ended because its health check failed. */
export type UnitObstacle = 'missing' | 'paused' | 'stopped_outside' | 'cannot_start' | 'unhealthy' | NodeObstacle;
/** `no_node`: Swarm finds none for it, and says why. */
type NodeObstacle = 'node_down' | 'no_node';

export interface UnitState {
  /** `active` only while its process really runs. */
  state: 'active' | 'inactive';
  /** The commit of the generation that is (or was last) live; null if there is no unit. */
  commit: string | null;
  /** Set when inactive for another reason than a stop: exit code, out of memory, restarts given up. */
  reason: string | null;
  /** True when the runtime has stopped restarting it. */
  gaveUp: boolean;
  /** Inactive without having ended: it waits for a node, its image, its first health check (started) or a lost node's replacement. */
  waiting?: boolean | undefined;
  startedAt: Date | null;
  /** Also of one that runs again; missing: none has ended since its last start by the manager, or that is unknown. */
  lastExit?: UnitExit | undefined;
  /** Restarts without a steady run between them; missing: not counted. */
  restarts?: number | undefined;
  obstacle?: UnitObstacle | undefined;
  /** The id of the generation that is (or was last) live; undefined if there is no unit. */
  generation?: string | undefined;
}

export interface UnitLogLine {
  stream: 'stdout' | 'stderr';
  message: string;
  /** When it was written; undefined if unknown. */
  time: Date | undefined;
  /** The host name of the node that wrote it, where a unit can run on several. */
  node?: string | undefined;
  /** With `positions`: where its generation's log has it, the same in each reading. */
  position?: string;
  /** With `positions`: the generation that wrote it, where each has a log of its own. */
  generation?: string | undefined;
}

export interface LogRequest {
  lines: number;
  follow: boolean;
  signal: AbortSignal;
  /**
   * Without `follow`: each line with its position, and first as many lines of the generation that is kept for a rollback, where
   * each has a log of its own.
   */
  positions?: boolean;
}

export interface Address {
  host: string;
  port: number;
}

/** An object in the engine with our label, as found, not as recorded. */
export interface OwnedResource {
  kind: 'unit' | 'database' | 'job' | 'network' | 'volume' | 'image' | 'process' | 'secret';
  /** Its name at the engine. */
  name: string;
  tenantId: string | null;
}

/** How a running unit reaches other services: input of its environment. */
export interface UnitPaths {
  /** IMPORT_DIR as the unit sees it. */
  importDirectory: string;
  /** The directory for a SQLite file as the unit sees it. */
  dataDirectory: string;
}

/** A tenant's own database server, run next to its units (docker: the container `<slug>-db`). */
export interface DatabaseServerSpec {
  tenant: TenantSpace;
  image: string;
  access?: ImageAccess | undefined;
  environment: Readonly<Record<string, string>>;
  limits: UnitLimits;
}

/** A program of the database's own client, run next to the server. */
export interface ServerProgram {
  /** With backpressure; must be read to its end. @throws what reading the input threw, the signal's reason */
  output: AsyncIterable<Uint8Array>;
  /** Resolves when the output has ended; `errors` is the end of its stderr. */
  ended: Promise<{ exitCode: number | null; errors: string }>;
}

export interface DatabaseServers {
  /** Creates and starts it if necessary; returns its address for units when it answers. */
  ensure(spec: DatabaseServerSpec, work: Work): Promise<Address>;
  /** The name of its data's place if that does not exist. @throws AppError runtime_unavailable */
  missingData(tenant: TenantSpace): Promise<string | undefined>;
  /** The manager's address of a running one; undefined if it is missing or stopped. */
  address(tenant: TenantSpace): Promise<Address | undefined>;
  /** Removes the server; its data volume only with `data`. */
  remove(tenant: TenantSpace, options: { data: boolean }): Promise<void>;
  /**
   * Starts a program in a running server's container, by its argument array. An aborted signal ends the following of it, not
   * the program, which ends when its input or the server does. @throws Error when the server does not run
   */
  exec(
    tenant: TenantSpace,
    argv: readonly string[],
    options: {
      environment: Readonly<Record<string, string>>;
      input?: AsyncIterable<Uint8Array> | undefined;
      signal: AbortSignal;
    },
  ): Promise<ServerProgram>;
}

/** Checkouts made ready to run, once per commit for all tenants. */
export interface RuntimeReleases extends RuntimeImages {
  /** Makes a checkout ready to run: once per commit, for all simultaneous callers. An aborted signal really ends the build. */
  prepareRelease(request: ReleaseRequest, work: Work): Promise<void>;
  hasRelease(key: string): Promise<boolean>;
  /** Removes all prepared releases but these keys and those in use, and what a build cache has above a size. Returns the keys. */
  removeReleasesExcept(keys: ReadonlySet<string>, options?: { buildCacheBytes: number }): Promise<string[]>;
}

/** The units and their generations; the states of a change are in life-cycle.ts. */
export interface RuntimeUnits {
  paths(tenant: TenantSpace): UnitPaths;
  /** Prepares a unit's next generation without touching the live one. */
  stage(spec: UnitSpec, work: Work): Promise<void>;
  /** Whether the live generation is exactly this specification: nothing to do, no drift. */
  isLive(spec: UnitSpec): Promise<boolean>;
  /**
   * Replaces the live generations of both units with the staged ones and starts them; the former ones are kept, stopped, for a
   * rollback.
   */
  activate(tenant: TenantSpace, work: Work): Promise<void>;
  /** Removes the generation kept for a rollback, and what is staged. */
  commit(tenant: TenantSpace): Promise<void>;
  /** Removes what is staged and, after `activate`, makes the kept generation live again, running if it ran before. */
  rollback(tenant: TenantSpace, work: Work): Promise<void>;
  /** Ids of the tenants with a change that was staged or activated, and neither committed nor rolled back. */
  pendingChanges(): Promise<string[]>;

  start(unit: UnitRef): Promise<void>;
  /** SIGTERM, then SIGKILL after 10 s; resolves when it has ended. */
  stop(unit: UnitRef): Promise<void>;
  restart(unit: UnitRef): Promise<void>;
  inspect(unit: UnitRef): Promise<UnitState>;
  /** Its current resource usage; undefined when it does not run, or if unknown. */
  usage(unit: UnitRef): Promise<UnitUsage | undefined>;
  /** The last `lines` lines, then, with `follow`, new ones until the signal is aborted; a restart of the unit does not end it. */
  logs(unit: UnitRef, options: LogRequest): AsyncIterable<UnitLogLine>;
  /**
   * The manager's address of a unit as it runs now.
   * @param hostPort the tenant's port for it: a changed one applies from the unit's next start
   */
  address(unit: UnitRef, hostPort: number): Promise<Address>;
  /**
   * The reverse proxy's address of a unit: of its staged generation, which is to be live next, or else of the live one.
   * @param hostPort the tenant's port for it, while it has no generation
   * @throws AppError `proxy_unavailable` when the proxy's container is missing or not configured, `not_deployed` when the unit
   * is addressed by name and has no generation
   */
  proxyAddress(unit: UnitRef, hostPort: number): Promise<Address>;
  /** Where a unit at this address would be after the loss of its node; missing: it has only one place. */
  backupAddresses?(live: Address): Promise<Address[]>;
}

export interface RuntimeJobs {
  /**
   * Prepares one environment for all commands of a job, which `commands` runs one after the other; returns its result. However
   * it ends, nothing of the job is left. What a command leaves running may live until then.
   */
  runJob<T>(job: JobSpec, work: Work, commands: (run: RunCommand) => Promise<T>): Promise<T>;
}

export interface RuntimeImportFiles {
  /**
   * Writes a file to the unit's IMPORT_DIR; returns its path as the unit sees it. `name` is one of ours: letters, digits,
   * `._-`.
   */
  putImportFile(tenant: TenantSpace, name: string, content: AsyncIterable<Uint8Array>): Promise<string>;
  removeImportFile(tenant: TenantSpace, name: string): Promise<void>;
}

/**
 * The runtimes of tenants' units. One adapter per folder; one contract suite (test/contracts/runtime.ts) runs against each.
 * Every function is idempotent: "already done" is success. Errors are AppErrors: `runtime_unavailable` when the engine does not
 * answer, plain Errors with a message for the user for failures of the work.
 */
export interface Runtime extends RuntimeReleases, RuntimeUnits, RuntimeJobs, RuntimeImportFiles {
  readonly kind: RuntimeKind;
  /** Which part of a unit's definition in tenant.yaml this runtime needs. */
  readonly needs: 'image' | 'start';
  readonly data: TenantData;
  /** Tenants' own database servers; undefined: not supported. */
  readonly databaseServers: DatabaseServers | undefined;

  /** The hosts of a runtime that has several. */
  readonly nodes?: RuntimeNodes;
  readonly probes?: RuntimeProbes;

  /** Asks the engine again; never throws. */
  availability(): Promise<Availability>;
  /** Adopts what an earlier manager left running (processes, the event stream) and keeps watching. Call once. */
  open(): Promise<void>;
  /** Stops watching; the units continue. */
  close(): Promise<void>;

  /** Free bytes on each disk where releases and volumes are stored, and its path; none if unknown. */
  freeSpace(): Promise<{ bytes: number; place: string }[]>;
  /** The owner of a port of this machine; undefined when it is free, or its owner is not visible. */
  portHolder?(port: number): Promise<PortHolder | undefined>;
  /** Calls the listener with a tenant's id when one of its units now runs on another node. */
  onMove?(listener: (tenantId: string) => void): void;
  /** Everything this manager owns in the engine. */
  list(): Promise<OwnedResource[]>;
  /** @throws AppError invalid_state naming what others' programs use of the tenant's, which could not be removed */
  assertRemovable?(tenant: TenantSpace): Promise<void>;
  /** Removes all of a tenant: units of all generations, jobs, network, and with `data` its volumes and import directory. */
  removeTenant(tenant: TenantSpace, options: { data: boolean }): Promise<void>;
}
