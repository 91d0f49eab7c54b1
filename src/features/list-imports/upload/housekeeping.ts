import { join } from 'node:path';
import { messageOf } from '../../../lib/errors.ts';
import { rm } from '../../../lib/files/changes.ts';
import { spaceOf } from '../../tenants/tenant.ts';
import { batchOf, noProgress } from '../job.ts';
import type { JobStreams } from '../job-streams.ts';
import type { Imports, ImportsDeps } from '../list-imports.ts';
import type { ImportJob } from '../store.ts';
import { isQuestion, type ListFiles, questionFileName } from './files.ts';
import type { ActiveUploads } from './upload.ts';

const day = 86_400_000;
const batchSize = 200;

/** Housekeeping of the list loader: removes orphaned files and ends interrupted jobs. */
export function createHousekeeping(
  { files, streams, activeUploads }: { files: ListFiles; streams: JobStreams; activeUploads: ActiveUploads },
  deps: ImportsDeps,
): Omit<Imports, 'routes' | 'stream'> {
  const { jobs, engine, operations, settings, clock, tenants, runtime, logger } = deps;

  async function removeOrphans(): Promise<void> {
    // In this order: an upload is written down as a job before it counts as arrived.
    const arriving = activeUploads.ids();
    const ids = (await files.ids()).filter((id) => !arriving.has(id));
    for (let start = 0; start < ids.length; start += batchSize) {
      const some = ids.slice(start, start + batchSize);
      const known = await jobs.recorded(some);
      for (const id of some.filter((one) => !known.has(one))) {
        await files.remove(id);
        streams.forget(id);
      }
    }
  }

  /** Failed, not its former state: an earlier attempt may have imported a part of its batch, and a retry reuses the same batch. */
  function notStarted(job: ImportJob): Pick<ImportJob, 'status' | 'result'> {
    const now = clock.now().toISOString();
    const error = 'The manager ended before the import began';
    const result = {
      ...noProgress(job.rowCount),
      batch_id: batchOf(job),
      imported: 0,
      error,
      started_at: now,
      finished_at: now,
    };
    return { status: 'failed', result };
  }

  /** Removes the remains of a killed validation, also at the tenant: they contain personal data. */
  async function removeUnfinished(): Promise<void> {
    for (const id of await files.ids()) {
      for (const name of await files.unfinished(id)) {
        try {
          const job = isQuestion(name) ? await jobs.find(id) : undefined;
          const tenant = job && (await tenants.find(job.tenantId));
          if (tenant) await runtime.removeImportFile(spaceOf(tenant), questionFileName(id, name));
          await rm(join(files.directory(id), name), { recursive: true, force: true });
        } catch (error) {
          logger.warn({ job: id, message: messageOf(error) }, 'what a validation has left could not be removed');
        }
      }
    }
  }

  return {
    async recover() {
      // Before anything is under way again.
      await removeUnfinished();
      await engine.recover();
      // Cut off between the job's state and the operation that belongs to it.
      for (const job of await jobs.inState(['analyzing', 'importing'])) {
        if (await operations.underWay(job.id)) continue;
        if (job.status === 'importing') await jobs.update(job.id, notStarted(job), ['importing']);
        else await jobs.update(job.id, { status: job.mappings ? 'ready' : 'pending' }, ['analyzing']);
      }
      await removeOrphans();
    },

    async applyRetention() {
      const before = new Date(clock.now().getTime() - (await settings.retentionDays()) * day);
      for (;;) {
        const some = await jobs.untouchedSince(before, batchSize);
        for (const job of some) {
          await rm(files.directory(job.id), { recursive: true, force: true });
          await jobs.update(job.id, { fileRemovedAt: clock.now(), updatedAt: job.updatedAt });
        }
        if (some.length < batchSize) return;
      }
    },

    removeOrphans,
  };
}
