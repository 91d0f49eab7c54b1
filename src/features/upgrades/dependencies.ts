import type { WriteJournal } from '../../adapters/events/journal-entry.ts';
import type { Source } from '../../adapters/git/source.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { OperationRecord } from '../../lib/operations/operation.ts';
import type { DatabaseKind, LiveRelease, Tenant, TenantStatus } from '../tenants/tenant.ts';

export interface Work {
  log(line: string): void;
  signal: AbortSignal;
}

/** What a version's files say, as an upgrade keeps it. */
interface Copied {
  release: LiveRelease;
  manifest: { migrations?: { scripts: readonly string[] } | undefined };
}

/** What upgrades need of the rest of the house. */
export interface UpgradeDependencies {
  store: Store;
  engine: OperationEngine;
  clock: Clock;
  journal: WriteJournal;
  runtime: Pick<Runtime, 'availability' | 'inspect' | 'start' | 'stop' | 'activate' | 'commit' | 'rollback'>;
  source: Pick<Source, 'refs' | 'commits'>;
  tenants: {
    get(id: string): Promise<Tenant>;
    setStatus(id: string, status: TenantStatus): Promise<unknown>;
    recordDeployment(id: string, release: LiveRelease, deployedAt: Date): Promise<unknown>;
    /** The repository's address with its credentials; null where none is set. */
    repositoryOf(id: string): Promise<string | null>;
  };
  /** The parts that an upgrade has in common with a deployment; each may be called again after a crash. */
  deployments: {
    /** @throws AppError not_found */
    get(id: string): Promise<OperationRecord>;
    /** Which of these ids are those of operations. */
    recorded(ids: readonly string[]): Promise<ReadonlySet<string>>;
    collectGarbage(): Promise<unknown>;
    parts: {
      /** @throws AppError insufficient_storage */
      assertRoom(): Promise<void>;
      /** Brings a version's files here and reads what they say about it; `save` is awaited. @throws AppError git_error; Error */
      copy(
        tenant: Tenant,
        version: string | null,
        context: Work & { save(copied: Copied): Promise<void> },
      ): Promise<void>;
      /** Makes a release that was copied ready to run. */
      build(release: LiveRelease, work: Work): Promise<void>;
      /** Makes its units ready beside the live ones. */
      stage(tenant: Tenant, release: LiveRelease, work: Work): Promise<void>;
      /** Runs its migrations; answers the scripts' paths. */
      migrate(tenant: Tenant, release: LiveRelease, work: Work): Promise<string[]>;
      /** Starts what was staged. */
      activate(tenant: Tenant, work: Work): Promise<void>;
      /** The failure with its cause, where the units' last lines since then tell one. Never throws. */
      explainUnits(tenant: Tenant, error: unknown, work: Work, since: Date): Promise<unknown>;
    };
  };
  databaseOf(
    tenant: Tenant,
    kind: DatabaseKind,
  ): Promise<{ ensure(work: Work): Promise<unknown>; remove(options: { data: boolean }): Promise<void> }>;
  environment: {
    of(tenant: Tenant, release: LiveRelease): Promise<Record<string, string>>;
    /** Writes the environment file; tells where the previous one is kept before it is replaced. */
    write(
      tenant: Tenant,
      environment: Readonly<Record<string, string>>,
      onKept: (kept: { path: string; backup: string | null }) => Promise<void>,
    ): Promise<unknown>;
    restore(written: { path: string; backup: string | null }): Promise<void>;
  };
  backups: {
    /** Makes a backup, or answers the one that an earlier call with the same id has made; its file's path. */
    create(
      tenant: Tenant,
      options: { kind: 'upgrade' | 'safety'; createdBy: string; id: string },
      work: Work,
    ): Promise<{ path: string }>;
    /** Replaces the database by a backup's; the tenant's units must not run. */
    restoreDatabase(tenant: Tenant, backup: { id: string }, work: Work): Promise<void>;
  };
  /** Resolves when both units run the release and answer; throws with the reason, also when `timeoutMs` is up. */
  prove(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
  /** The tenant's two host names at the proxy; nothing happens where there are none. */
  sites: {
    /** Lets them lead to what has been started. */
    align(tenant: Tenant, work: Work): Promise<unknown>;
    /** Resolves when both answer through the proxy. */
    prove(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
  };
  healthTimeoutMs: number;
}
