import type { Actor, WriteJournal } from '../../adapters/events/journal-entry.ts';
import type { Source } from '../../adapters/git/source.ts';
import type { ProxyKind } from '../../adapters/proxies/proxy.ts';
import type { Runtime, UnitLimits } from '../../adapters/runtimes/runtime.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { DatabaseKind, LiveRelease, Tenant, TenantStatus } from '../tenants/tenant.ts';
import type { DeploymentState } from './operation.ts';
import type { DeploymentStore } from './store.ts';

interface Work {
  log(line: string): void;
  signal: AbortSignal;
}

/** A tenant's database as deployments need it. */
export interface DeploymentDatabase {
  /** Makes it where it is not. */
  ensure(work: Work): Promise<{ created: boolean }>;
  remove(options: { data: boolean }): Promise<void>;
}

/** A step that changes a tenant's site keeps the one before it, to go back to. */
interface SiteContext extends Work {
  readonly state: Readonly<Pick<DeploymentState, 'siteBefore'>>;
  save(patch: Pick<DeploymentState, 'siteBefore'>): Promise<void>;
}

/** What deployments need of the rest of the house. */
export interface DeploymentDependencies {
  store: DeploymentStore;
  engine: OperationEngine;
  clock: Clock;
  journal: WriteJournal;
  runtime: Runtime;
  source: Source;
  tenants: {
    get(id: string): Promise<Tenant>;
    setStatus(id: string, status: TenantStatus): Promise<unknown>;
    recordDeployment(id: string, release: LiveRelease, deployedAt: Date): Promise<unknown>;
    /** The repository's address with its credentials; null where none is set. */
    repositoryOf(id: string): Promise<string | null>;
    each(options?: { deployedOnly?: boolean }): AsyncIterable<Tenant>;
  };
  databases: {
    /**
     * Picks one of the application's engines (best first) that can be had here, or the one the tenant has; null for an
     * application without a database. Throws with the reason where none can be had.
     */
    choose(engines: readonly ('mariadb' | 'sqlite')[], current: DatabaseKind | null): DatabaseKind | null;
    of(tenant: Tenant, kind: DatabaseKind): Promise<DeploymentDatabase>;
  };
  environment: {
    /** The environment of a tenant's units for a release. */
    of(tenant: Tenant, release: LiveRelease): Promise<Record<string, string>>;
    /** Writes the environment file; tells where the previous one is kept before it is replaced. */
    write(
      tenant: Tenant,
      environment: Readonly<Record<string, string>>,
      onKept: (kept: { path: string; backup: string | null }) => Promise<void>,
    ): Promise<{ path: string }>;
    /** Puts the kept file back, or removes the file where there was none. */
    restore(written: { path: string; backup: string | null }): Promise<void>;
  };
  settings: {
    limits(): Promise<UnitLimits>;
    /** Releases kept per tenant beside the live one. */
    releaseRetention(): Promise<number>;
    /** Bytes that must be free before a deployment. */
    minimumFreeBytes(): Promise<number>;
  };
  /** Resolves when both units run the release and answer; throws with the reason, also when `timeoutMs` is up. */
  prove(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
  proxy: ProxyKind;
  /** The tenant's two host names at the proxy. */
  sites: {
    /** @param options.keepUpstreams a site in service goes on leading to the units that run, until `align` */
    configure(tenant: Tenant, context: SiteContext, options: { keepUpstreams: boolean }): Promise<void>;
    /** Lets a site in service lead to what has been started. */
    align(tenant: Tenant, work: Work): Promise<unknown>;
    /** The undo of `configure` and `secure`. */
    rollBack(tenant: Tenant, context: SiteContext): Promise<void>;
    /** Remembers whether the tenant's site is to have a certificate. */
    chooseSsl(tenantId: string, choice: { skipped: boolean }): Promise<void>;
    /** Serves them over TLS; what can't be had is no failure: the reason is answered. */
    secure(tenant: Tenant, context: SiteContext): Promise<{ skipped: string } | undefined>;
    /** Resolves when both answer through the proxy, or there are none. @throws Error with what was seen last */
    prove(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
  };
  /** Where the manager keeps its files, for the disk check. */
  dataDirectory: string;
  healthTimeoutMs: number;
}

export type { Actor, Work };
