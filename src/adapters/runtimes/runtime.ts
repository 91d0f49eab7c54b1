import type { PortHolder } from './port-holder.ts';

/** What a running unit has used of the host, as its engine counts it. */
export interface UnitUsage {
  /** Processor time since it was started, in milliseconds over all processors; null where it is not counted. */
  cpuMs: number | null;
  memoryBytes: number;
  /** null: it may use all there is. */
  memoryLimitBytes: number | null;
}

/** A tenant as a runtime knows it. */
export interface TenantSpace {
  id: string;
  slug: string;
  /** The tenant's own directory on the manager's disk (absolute): environment files, SQLite database, logs of local processes. */
  directory: string;
}

/**
 * What a tenant's units keep in their data directory. Content is a tar of any size whose names are relative to the directory:
 * plain files, directories, links.
 */
export interface TenantData {
  /**
   * @param options.only these names at the top of the directory, those that are there; else all
   * @param options.except names at the top that are left out
   * @param options.still no unit of the tenant runs on meanwhile (paused, where the runtime can)
   */
  read(
    tenant: TenantSpace,
    options: { only?: readonly string[]; except?: readonly string[]; still?: boolean; signal: AbortSignal },
  ): AsyncIterable<Uint8Array>;
  /** Bytes of these files at the top of the directory together, without reading them; undefined where none is there. */
  size(tenant: TenantSpace, names: readonly string[]): Promise<number | undefined>;
  /** Removes names at the top of the directory, or all others. */
  remove(
    tenant: TenantSpace,
    which: { only: readonly string[] } | { except: readonly string[] },
    signal: AbortSignal,
  ): Promise<void>;
  /** Adds what the tar holds, in place of what bears the same names. */
  write(tenant: TenantSpace, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
}

/**
 * Where tenants' units run, in our own words. One adapter a folder; one contract suite (test/contracts/runtime.ts) runs
 * against each. Every function is idempotent: "already so" is success. Errors are AppErrors: `runtime_unavailable` when
 * the engine is gone, plain Errors with a message for the user for what failed inside the work.
 */
export type RuntimeKind = 'docker' | 'swarm' | 'systemd' | 'process';

export const unitRoles = ['api', 'frontend'] as const;
export type UnitRole = (typeof unitRoles)[number];

/** A unit is addressed by its tenant and role; its name at the service manager is `<slug>-<role>`. */
export interface UnitRef {
  tenant: TenantSpace;
  role: UnitRole;
}

/** What `tenant.yaml` says about one unit. */
export interface UnitDefinition {
  start?: string | undefined;
  /** The port inside the container. */
  port: number;
  image?: { dockerfile: string; target?: string | undefined } | undefined;
}

/** A version's code made ready to run, shared by every tenant at that commit. */
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
}

/** How far long work has got, and how to end it. */
export interface Work {
  /** Told each line of output as it comes. */
  log(line: string): void;
  signal: AbortSignal;
}

export interface UnitLimits {
  memoryMb: number;
  cpus: number;
  pids: number;
}

/** Everything a unit should be; two equal specifications are the same unit. */
export interface UnitSpec extends UnitRef {
  release: Release;
  definition: UnitDefinition;
  /** The environment both units share; the runtime adds PORT, HOST and what only it knows. */
  environment: Readonly<Record<string, string>>;
  /** The tenant's port on the host for this unit (loopback). */
  hostPort: number;
  limits: UnitLimits;
}

/** Commands run in a unit's environment (migrations), from a release that need not be live yet. */
export type JobSpec = Omit<UnitSpec, 'hostPort'>;

/** How one command of a job ended. */
export interface CommandEnd {
  /** null: killed. */
  exitCode: number | null;
  timedOut: boolean;
}

/**
 * Runs a command line of the tenant repository's own to its end; each line it says goes to the job's `work.log`. One that
 * is not done in time is ended, and the whole job with it. @throws the signal's reason when aborted
 */
export type RunCommand = (command: string, options: { timeoutMs: number }) => Promise<CommandEnd>;

export interface UnitState {
  /** `active` only while its process really runs. */
  state: 'active' | 'inactive';
  /** The commit of the generation that is (or was last) live; null where there is no unit. */
  commit: string | null;
  /** Set when inactive for another reason than a stop: exit code, out of memory, given up restarting. */
  reason: string | null;
  /** True when the runtime has stopped restarting it. */
  gaveUp: boolean;
  startedAt: Date | null;
}

export interface UnitLogLine {
  stream: 'stdout' | 'stderr';
  message: string;
  /** When it was written; undefined where that is not known. */
  time: Date | undefined;
}

export interface Address {
  host: string;
  port: number;
}

/** Something in the engine that bears our label, as found, not as remembered. */
export interface OwnedResource {
  kind: 'unit' | 'database' | 'job' | 'network' | 'volume' | 'image' | 'process';
  /** Its name at the engine. */
  name: string;
  tenantId: string | null;
}

/** How a running unit reaches things around it: what the environment must say. */
export interface UnitPaths {
  /** IMPORT_DIR as the unit sees it. */
  importDirectory: string;
  /** The directory for a SQLite file as the unit sees it. */
  dataDirectory: string;
}

/** A database server of a tenant's own, run beside its units (docker: the container `<slug>-db`). */
export interface DatabaseServerSpec {
  tenant: TenantSpace;
  image: string;
  environment: Readonly<Record<string, string>>;
  limits: UnitLimits;
}

/** A program of the database's own client, run beside the server. */
export interface ServerProgram {
  /** Flows no faster than it is taken; must be read to its end. @throws what reading the input threw, the signal's reason */
  output: AsyncIterable<Uint8Array>;
  /** Known when the output has ended; `errors` is the last of what it wrote there. */
  ended: Promise<{ exitCode: number | null; errors: string }>;
}

export interface DatabaseServers {
  /** Creates and starts it where it is not; answers its addresses as the units and as the manager see it. */
  ensure(spec: DatabaseServerSpec, work: Work): Promise<{ forUnits: Address; forManager: Address }>;
  /** The manager's address of a running one; undefined where there is none or it is stopped. */
  address(tenant: TenantSpace): Promise<Address | undefined>;
  /** Removes the server; its data volume only with `data`. */
  remove(tenant: TenantSpace, options: { data: boolean }): Promise<void>;
  /**
   * Starts a program in a running server's container, by its argument array. An aborted signal ends the following of it, not
   * the program, which ends when its input or the server does. @throws Error where the server does not run
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

export interface Runtime {
  readonly kind: RuntimeKind;
  /** Which half of a unit's definition in tenant.yaml this runtime needs. */
  readonly needs: 'image' | 'start';
  /** Where a tenant can have a database server of its own; undefined: not here. */
  readonly databaseServers: DatabaseServers | undefined;

  /** Asks the engine anew; never throws. */
  availability(): Promise<{ available: true; version: string } | { available: false; reason: string }>;
  /** Takes up what an earlier manager left running (adopts processes, opens the event stream) and keeps watch. Call once. */
  open(): Promise<void>;
  /** Ends the watching; the units run on. */
  close(): Promise<void>;

  /** Free bytes where releases and volumes are kept, and that place's name; undefined where it can't be known. */
  freeSpace(): Promise<{ bytes: number; place: string } | undefined>;
  /** Makes a checkout ready to run: once a commit, however many ask at a time. An aborted signal really ends the build. */
  prepareRelease(request: ReleaseRequest, work: Work): Promise<void>;
  hasRelease(key: string): Promise<boolean>;
  /** Removes all prepared releases but these keys; what a unit still uses stays. Answers the keys removed. */
  removeReleasesExcept(keys: ReadonlySet<string>): Promise<string[]>;

  paths(tenant: TenantSpace): UnitPaths;

  /** Makes a unit's next generation ready beside the live one, which it does not touch. */
  stage(spec: UnitSpec, work: Work): Promise<void>;
  /** Whether the live generation is exactly this specification: nothing to do, no drift. */
  isLive(spec: UnitSpec): Promise<boolean>;
  /** Puts the staged generations of both units in the live ones' place and starts them; the live ones are kept, stopped, to go back to. */
  activate(tenant: TenantSpace, work: Work): Promise<void>;
  /** Drops the generation kept to go back to. */
  commit(tenant: TenantSpace): Promise<void>;
  /** Drops what is staged and, after `activate`, puts the kept generation back in place, running if it ran before. */
  rollback(tenant: TenantSpace, work: Work): Promise<void>;

  /** Ids of the tenants that stand between two generations: something was staged or activated, and neither settled nor reverted. */
  pendingChanges(): Promise<string[]>;

  start(unit: UnitRef): Promise<void>;
  /** SIGTERM, then SIGKILL after 10 s; resolves when it has ended. */
  stop(unit: UnitRef): Promise<void>;
  restart(unit: UnitRef): Promise<void>;
  inspect(unit: UnitRef): Promise<UnitState>;
  /** What it uses of the host now; undefined where it does not run, or where that can't be known. */
  usage(unit: UnitRef): Promise<UnitUsage | undefined>;
  /** The last `lines` lines, then, with `follow`, those that come until the signal is aborted; a restart of the unit does not end it. */
  logs(unit: UnitRef, options: { lines: number; follow: boolean; signal: AbortSignal }): AsyncIterable<UnitLogLine>;
  /**
   * Opens one place for all commands of a job, which `commands` runs one after the other; answers what that answers. However
   * it ends, nothing of the job is left. What a command leaves running may live until then.
   */
  runJob<T>(job: JobSpec, work: Work, commands: (run: RunCommand) => Promise<T>): Promise<T>;
  /**
   * Where the manager reaches a unit as it runs now.
   * @param hostPort the tenant's port for it: the unit gets one changed since its start at its next
   */
  address(unit: UnitRef, hostPort: number): Promise<Address>;
  /**
   * Where the reverse proxy reaches a unit: its staged generation, which is to be live next, or else the live one.
   * @param hostPort the tenant's port for it, where it has no generation yet
   * @throws AppError `proxy_unavailable` where the proxy's container is missing or unnamed, `not_deployed` where the unit's
   *   name alone would lead to it and it has no generation
   */
  proxyAddress(unit: UnitRef, hostPort: number): Promise<Address>;

  /** Puts a file into the unit's IMPORT_DIR; answers its path as the unit sees it. `name` is one of ours: letters, digits, `._-`. */
  putImportFile(tenant: TenantSpace, name: string, content: AsyncIterable<Uint8Array>): Promise<string>;
  removeImportFile(tenant: TenantSpace, name: string): Promise<void>;

  readonly data: TenantData;

  /** What holds a port of this machine; undefined where nothing does, or it can't be seen. */
  portHolder?(port: number): Promise<PortHolder | undefined>;

  /** All this manager owns in the engine. */
  list(): Promise<OwnedResource[]>;
  /** Removes everything of a tenant: units of all generations, jobs, network, and with `data` its volumes and import directory. */
  removeTenant(tenant: TenantSpace, options: { data: boolean }): Promise<void>;
}
