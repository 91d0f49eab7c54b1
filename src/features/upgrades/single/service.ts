import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { versionTags } from '../../../adapters/git/versions.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { deployedRelease } from '../../tenants/tenant.ts';
import { reportOf, type UpgradeReport } from '../rehearsal/report.ts';
import type { FailureStore, UpgradeFailure } from '../store.ts';
import { type Available, availableBranches, availableVersions, type Page } from './available-versions.ts';
import { outcomeOf } from './outcome.ts';
import { chooseTarget } from './target.ts';
import type { UpgradeInput, UpgradeOutcome, UpgradeRequest, UpgradesDeps } from './upgrade.ts';
import { reportVersion, type VersionReport } from './version-report.ts';

/** Upgrades of tenants, one at a time per tenant; each is an operation that outlives its request and the manager. */
export interface UpgradeService {
  /**
   * Queues an upgrade; it is durable when this resolves. An error means that nothing was changed.
   * @param options.id chosen and saved by the caller: a second call with the same id, after a crash, starts nothing new
   * @throws AppError not_found, operation_in_progress, not_deployed, already_latest, downgrade_refused, validation_error without
   *   git_repo, git_error, insufficient_storage, runtime_unavailable
   */
  begin(tenantId: string, request: UpgradeRequest, actor: Actor, options?: { id?: string }): Promise<{ id: string }>;
  /**
   * Waits for the end of an upgrade that this manager or an earlier one started; to stop it, cancel its deployment.
   * @throws AppError not_found; shutting_down if the manager stops first: it resumes the upgrade after its restart
   */
  outcome(id: string): Promise<UpgradeOutcome>;
  /** @throws AppError not_found, git_error, runtime_unavailable */
  version(tenantId: string): Promise<VersionReport>;
  /** What its repository offers. @throws AppError not_found, git_error */
  versions(tenantId: string, page: Page): Promise<Available>;
  /** The result of an upgrade or a rehearsal of a tenant. @throws AppError not_found */
  report(tenantId: string, id: string): Promise<UpgradeReport>;
  /** Versions that an upgrade failed to, newest first, until an upgrade succeeds. */
  failuresOf(tenantId: string): Promise<UpgradeFailure[]>;
}

export function createUpgradeService(failures: FailureStore, deps: UpgradesDeps): UpgradeService {
  const { engine, tenants, runtime, source, writeAuditLog, deployments } = deps;

  async function addressOf(tenantId: string): Promise<string> {
    const address = await tenants.repositoryOf(tenantId);
    if (address !== null) return address;
    throw new AppError('validation_error', 'git_repo: set the tenant’s git_repo before upgrading it', {
      issues: [{ path: 'git_repo', message: 'Required for an upgrade' }],
    });
  }

  const begin: UpgradeService['begin'] = async (tenantId, request, actor, { id } = {}) => {
    if (id !== undefined && (await deployments.recorded([id])).has(id)) return { id };
    const tenant = await tenants.get(tenantId);
    engine.assertIdle(tenantId);
    const { version, commit } = deployedRelease(tenant);
    const previous = { version, commit };
    const availability = await runtime.availability();
    if (!availability.available) throw new AppError('runtime_unavailable', availability.reason);
    const refs = await source.refs(await addressOf(tenantId));
    const target = chooseTarget(refs, request.targetVersion ?? null, previous, request);
    await deployments.parts.assertDiskSpace();
    const { backupDb, runMigrations } = request;
    const input: UpgradeInput = { target, previous, backupDb, runMigrations, createdBy: actor.username };
    const record = await engine.submit('upgrade', tenantId, input, {}, id);
    await writeAuditLog({
      level: 'info',
      category: 'audit',
      message: `${actor.username} requested an upgrade to ${target.version ?? target.commit}`,
      tenant,
      details: {
        user_id: actor.userId,
        username: actor.username,
        deployment_id: record.id,
        target_version: target.version,
        backup_db: backupDb,
        run_migrations: runMigrations,
        allow_downgrade: request.allowDowngrade,
      },
    });
    return { id: record.id };
  };

  async function outcome(id: string): Promise<UpgradeOutcome> {
    const live = await engine.ended(id)?.catch(() => undefined);
    const record = live ?? (await deployments.get(id));
    if (record.kind !== 'upgrade') throw new AppError('not_found', `No upgrade with id ${id}`);
    if (record.status === 'queued' || record.status === 'running')
      throw new AppError('shutting_down', `The manager is stopping; it resumes the upgrade (${id}) after its restart`);
    return outcomeOf(record, (await tenants.get(record.subject)).slug);
  }

  return {
    begin,
    outcome,
    failuresOf: (tenantId) => failures.of(tenantId),
    async versions(tenantId, page) {
      const { deployed } = await tenants.get(tenantId);
      const address = await tenants.repositoryOf(tenantId);
      if (address === null) return { versions: [], total: 0, branches: [] };
      const refs = await source.refs(address);
      const details = await source.commits(address, refs);
      return {
        versions: availableVersions(refs, deployed, await failures.of(tenantId), details, page),
        total: versionTags(refs).length,
        branches: availableBranches(refs, deployed, details),
      };
    },
    async report(tenantId, id) {
      const { slug } = await tenants.get(tenantId);
      const record = await deployments.get(id);
      const report = record.subject === tenantId ? reportOf(record, slug) : undefined;
      if (!report) throw notFound('upgrade', id);
      return report;
    },
    async version(tenantId) {
      return reportVersion(await tenants.get(tenantId), failures, deps);
    },
  };
}
