import type { FailureCause } from '../../../adapters/runtimes/failure-causes.ts';
import type { RuntimeNode } from '../../../adapters/runtimes/nodes.ts';
import type { PortHolder } from '../../../adapters/runtimes/port-holder.ts';
import type { UnitRole, UnitState, UnitUsage } from '../../../adapters/runtimes/runtime.ts';
import type { FoundCause } from '../../../lib/errors.ts';
import type { OperationSummary } from '../../../lib/operations/operation.ts';
import type { HealthStatus, Tenant } from '../../tenants/tenants.ts';
import type { Reading } from './reading.ts';
import type { ScriptProblem } from './start-script.ts';

/** A place where files are written, and the bytes left there. */
export interface DiskSpace {
  place: string;
  bytes: number;
}

/** What a unit's last lines show. */
export interface LogFinding extends Omit<FailureCause, 'port' | 'code'> {
  /** `uncaught_exception`: the exception that ended the unit, which none of the known causes is. */
  code: FailureCause['code'] | 'uncaught_exception' | ScriptProblem['code'];
  params?: Readonly<Record<string, string>>;
  /** Those of the exception. */
  lines?: readonly string[];
  /** When the line was written; undefined: unknown. */
  at: Date | undefined;
}

/** A change of a tenant, by whom if by a user. */
export interface Change {
  what: string;
  at: Date;
}

/** What a health check says about one page. */
export interface PageFinding {
  status: 'up' | 'down';
  status_code: number | null;
  error?: string | undefined;
  problem?: string | undefined;
  /** Why the application says that it is not healthy. */
  reason?: string | undefined;
  /** The beginning of an answer that is an error. */
  body?: string | undefined;
}

export interface HealthFinding {
  /** A unit that was restarted again and again, until it has been quiet. */
  crashLoop?: { role: UnitRole; restarts: number; since: Date } | undefined;
  overall: HealthStatus;
  pages: Record<UnitRole, PageFinding>;
  proxy: PageFinding | undefined;
  database: {
    status: string;
    size_mb?: number | null;
    connections?: number | null;
    longest_query_s?: number | undefined;
    error?: string | undefined;
    problem?: string | undefined;
  };
  /** The last run of the checks with a user's steps; undefined: none was run lately. */
  userSteps?: { status: 'up' | 'down'; check: string | null; error?: string | undefined; at: string } | undefined;
}

export interface UnitFacts {
  state: Reading<UnitState>;
  /** undefined: they show no cause. */
  log: Reading<LogFinding | undefined>;
  /** The last lines of the run that has ended, or of the present one. */
  lastLines: Reading<readonly string[]>;
  /** Another program that listens on the unit's port. */
  portHolder: Reading<PortHolder | undefined>;
  usage: Reading<UnitUsage | undefined>;
}

export interface SiteFacts {
  /** undefined: there is no reverse proxy. */
  proxy: Reading<{ available: true } | { available: false; reason: string } | undefined>;
  /** undefined: the tenant has no site. */
  state: Reading<'in_sync' | 'edited' | 'missing' | 'outdated' | 'orphan' | undefined>;
  certificate: Reading<{ notBefore: Date; notAfter: Date; wrongNames: string[] } | null>;
  /** Only with `public_addresses`: without it, nothing says where the names should lead. */
  dns: Reading<{ name: string; state: string; addresses: string[] }[]>;
  /** What a visitor of its names would be sent to again and again; undefined: nothing. */
  selfRedirect: Reading<string | undefined>;
}

/** All that a diagnosis is derived from. */
export interface Facts {
  at: Date;
  tenant: Tenant;
  /** An operation works on the tenant. */
  busy: boolean;
  /** The manager reaches units through ports that the engine forwards, which accepts connections for them. */
  forwarded: boolean;
  engine: Reading<{ available: true; clockAheadMs?: number | undefined } | { available: false; reason: string }>;
  /** How far the clock of the manager's database server is ahead of the manager's; undefined: there is none. */
  databaseAheadMs: Reading<number | undefined>;
  nodes: Reading<RuntimeNode[]>;
  disks: Reading<DiskSpace[]>;
  health: Reading<HealthFinding>;
  units: Record<UnitRole, UnitFacts>;
  /** Whether the release's files or images are there. */
  release: Reading<boolean>;
  site: SiteFacts;
  apiKey: Reading<'accepted' | 'refused' | 'not_asked'>;
  /** The last operations, the newest first. */
  operations: Reading<(OperationSummary & { version: string | null })[]>;
  /** Changes of the last day, the newest first. */
  changes: Reading<Change[]>;
  /** The last start or restart, if it failed. */
  failedStart: Reading<FailedStart | undefined>;
  stop: Reading<{ username: string | null; createdAt: Date } | undefined>;
  /** All tenants that should run. */
  fleet: Reading<readonly FleetTenant[]>;
}

/** A start that failed, and was undone: what it found is kept in the audit log. */
export interface FailedStart {
  action: string;
  message: string;
  at: Date;
  found: FoundCause | undefined;
  /** The last change of the configuration before it, and after the last start that succeeded. */
  change: Change | undefined;
}

/** What the manager knows of a tenant without a look at it. */
export interface FleetTenant {
  slug: string;
  commit: string;
  isUnhealthy: boolean;
  /** The code of its open incident's cause; undefined: it has none, or its cause is not known. */
  cause: string | undefined;
}
