import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { TenantRefusal } from '../../../adapters/tenant-api/tenant-api.ts';
import type { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { deployedRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import { audit, batchOf, type ExecuteOptions, noProgress, statusSentence } from '../job.ts';
import type { JobStreams } from '../job-streams.ts';
import type { ImportsDeps } from '../list-imports.ts';
import type { ListService } from '../service.ts';
import type { ImportJob } from '../store.ts';
import { assertMapped } from '../validation/validation.ts';
import type { ImportInput } from './import-state.ts';

/** What conflicts with other work on a tenant: an import and its undo. */
export const importWork = { import: 'import', undo: 'import undo' } as const;

const healthTimeoutMs = 10_000;
const removalTimeoutMs = 10 * 60_000;
const maxListNameLength = 200;

export type Execution = ReturnType<typeof createExecution>;

/** Lists of tenants, from the point where they are imported. */
export function createExecution(
  { lists, streams, changes }: { lists: ListService; streams: JobStreams; changes: KeyedLock },
  deps: ImportsDeps,
) {
  const { jobs, operations, engine, tenants, tenantApi, runtime, writeAuditLog, clock } = deps;

  const addressOf = (tenant: Tenant) => runtime.address({ tenant: spaceOf(tenant), role: 'api' }, tenant.backendPort);

  /** @throws AppError tenant_unreachable */
  async function assertUp(tenant: Tenant): Promise<void> {
    const { health } = deployedRelease(tenant).units.api;
    const address = await addressOf(tenant).catch((error: unknown) => {
      throw new AppError('tenant_unreachable', `${tenant.slug} could not be reached: ${messageOf(error)}`);
    });
    const { status, error } = await tenantApi.health(address, health, { timeoutMs: healthTimeoutMs });
    if (status !== 'up')
      throw new AppError(
        'tenant_unreachable',
        `${tenant.slug} is not up: ${error ?? 'it does not say that it is healthy'}`,
      );
  }

  function assertReady(job: ImportJob): void {
    if (job.status === 'importing') throw new AppError('operation_in_progress', statusSentence(job));
    if (job.status === 'completed')
      throw new AppError('invalid_state', `${statusSentence(job)}; undo the import, or set its mappings again`);
    assertMapped(job);
  }

  return {
    /**
     * Starts to import a list. A retry after a failure reuses the same batch: people already imported are left unchanged.
     * @throws AppError not_found, not_deployed, operation_in_progress, job_not_ready, mapping_incomplete, invalid_state,
     * tenant_unreachable
     */
    async execute(
      tenantId: string,
      id: string,
      { listName, ...asked }: Omit<ExecuteOptions, 'listName'> & { listName: string | undefined },
      actor: Actor,
    ): Promise<ImportJob> {
      const tenant = await tenants.get(tenantId);
      // Busy comes first (while a list is taken back it still looks imported), then what else is in the way; the claim is given back and
      // taken again by the operation.
      const job = await engine.exclusive(tenantId, importWork.import, async () => {
        const found = await lists.get(tenantId, id);
        assertReady(found);
        deployedRelease(tenant);
        await assertUp(tenant);
        return found;
      });
      const options: ExecuteOptions = { ...asked, listName: (listName ?? job.filename).slice(0, maxListNameLength) };
      // The tenant knows the parts of a batch that it has taken: another choice among duplicates makes other parts.
      const sameParts = job.options?.duplicatesInFile === options.duplicatesInFile;
      const run = job.status === 'failed' && job.run > 0 && sameParts ? job.run : job.run + 1;
      const importing = {
        ...job,
        status: 'importing' as const,
        run,
        options,
        progress: noProgress(job.rowCount),
        result: null,
      };
      const { status, progress, result } = importing;
      const when = [job.status];
      // Not while corrections are being written: an import must read the same ones from its first row to its last.
      if (!(await changes.run(id, () => jobs.update(id, { status, run, options, progress, result }, when))))
        throw new AppError(
          'operation_in_progress',
          `The list “${job.filename}” is already in use by another operation`,
        );
      const input: ImportInput = {
        jobId: id,
        run,
        batchId: batchOf({ id, run }),
        ...options,
        importDate: clock.now().toISOString(),
        createdBy: actor.username,
      };
      try {
        await engine.submit(importWork.import, tenantId, input);
      } catch (error) {
        const { status, run, options, progress, result } = job;
        await jobs.update(id, { status, run, options, progress, result }, ['importing']);
        throw error;
      }
      streams.progress(importing);
      const entry = audit(tenant, job, actor, 'began to import a list', { rows: job.rowCount, ...options });
      await writeAuditLog({ ...entry, topic: 'import' });
      return importing;
    },

    /** Cancels an import or an analysis; people imported so far stay. @throws AppError not_found, invalid_state */
    async cancel(tenantId: string, id: string, actor: Actor): Promise<ImportJob> {
      const job = await lists.get(tenantId, id);
      const underWay = await operations.underWay(id);
      if (!underWay || !(await engine.cancel(underWay.id)))
        throw new AppError('invalid_state', `There is nothing to cancel: ${statusSentence(job)}`);
      await writeAuditLog(audit(await tenants.get(tenantId), job, actor, 'cancelled the work on a list'));
      return lists.get(tenantId, id);
    },

    /**
     * Takes the persons that a list brought out of the tenant again.
     * @throws AppError not_found, invalid_state, operation_in_progress, tenant_unreachable; tenant_error where the application can't
     */
    async undo(tenantId: string, id: string, actor: Actor): Promise<{ job: ImportJob; removed: number; kept: number }> {
      const job = await lists.get(tenantId, id);
      const tenant = await tenants.get(tenantId);
      return engine.exclusive(tenantId, importWork.undo, async () => {
        const { result, run: runs } = await lists.get(tenantId, id);
        if (!result || result.undone_at)
          throw new AppError('invalid_state', `The list “${job.filename}” has no import to undo`);
        deployedRelease(tenant);
        const address = await addressOf(tenant);
        const { apiKey } = await deps.configs.secretsOf(tenantId);
        const call = { apiKey, timeoutMs: removalTimeoutMs };
        let [removed, kept] = [0, 0];
        for (let run = 1; run <= runs; run += 1) {
          const answer = await tenantApi.removeBatch(address, batchOf({ id, run }), call).catch(notSupported);
          removed += answer.removed;
          kept += answer.kept;
        }
        const undone = { ...result, undone_at: clock.now().toISOString(), removed };
        // Nothing of it is in the tenant any more; its result has the progress.
        const progress = noProgress(job.rowCount);
        await jobs.update(id, { status: 'ready', result: undone, progress }, ['completed', 'failed', 'ready']);
        await writeAuditLog({ ...audit(tenant, job, actor, 'undid an import', { removed, kept }), topic: 'import' });
        const after = await lists.get(tenantId, id);
        streams.progress(after);
        return { job: after, removed, kept };
      });
    },
  };
}

function notSupported(error: unknown): never {
  if (error instanceof TenantRefusal && [404, 405, 501].includes(error.statusCode))
    throw new AppError(
      'tenant_error',
      `The tenant’s application can’t undo an import (it answered ${error.statusCode} to DELETE /api/persons/bulk-import/{batch_id})`,
    );
  throw error;
}
