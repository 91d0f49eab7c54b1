import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { messageOf } from '../../../lib/errors.ts';
import { writing } from '../../../lib/files/disk-full-error.ts';
import { disconnectSignal } from '../../../lib/http/requests/client-disconnected.ts';
import { type FormExchange, receiveFile } from '../../../lib/http/requests/upload.ts';
import { parse } from '../../../lib/http/routing/parse.ts';
import { newSecret } from '../../../lib/ids.ts';
import { audit } from '../job.ts';
import type { ImportsDeps } from '../list-imports.ts';
import { uploadFields } from '../schema.ts';
import type { ImportJob } from '../store.ts';
import { type ListFiles, uploadName } from './files.ts';
import type { InspectFile } from './inspect-file.ts';

type UploadExchange = FormExchange & { sheet: string | undefined };
export type TakeUpload = ReturnType<typeof createTakeUpload>;

/**
 * Stores an uploaded list on the disk, inspects it and saves it as a job. A failure leaves nothing behind.
 * @throws AppError not_found, unsupported_media_type, payload_too_large, insufficient_storage, unsupported_file; validation_error
 * naming the field
 */
export function createTakeUpload(
  { files, inspect, activeUploads }: { files: ListFiles; inspect: InspectFile; activeUploads: ActiveUploads },
  deps: ImportsDeps,
) {
  const { jobs, tenants, clock, writeAuditLog, logger, settings } = deps;

  const take = async (id: string, tenantId: string, { request, response, sheet }: UploadExchange, actor: Actor) => {
    const tenant = await tenants.get(tenantId);
    const disconnected = disconnectSignal(response);
    try {
      const directory = await files.make(id);
      const maxBytes = await settings.maxUploadBytes();
      const upload = await receiveFile({ request, response }, { field: 'file', directory, name: uploadName, maxBytes });
      const fields = parse(uploadFields, upload.fields);
      const found = await inspect({ path: upload.path, sheet: fields.sheet ?? sheet }, disconnected);
      await files.saveSample(id, found.sample);
      const now = clock.now();
      const job: ImportJob = {
        id,
        tenantId,
        filename: upload.originalName,
        filePath: upload.path,
        fileSize: upload.size,
        rowCount: found.rowCount,
        status: 'pending',
        layout: found.layout,
        mappings: null,
        mappingWarnings: null,
        templateId: null,
        validation: null,
        result: null,
        progress: null,
        options: null,
        run: 0,
        createdAt: now,
        updatedAt: now,
        createdBy: actor.username,
        fileRemovedAt: null,
      };
      await jobs.insert(job);
      await writeAuditLog(
        audit(tenant, job, actor, 'uploaded a list', {
          rows: job.rowCount,
          bytes: job.fileSize,
          format: job.layout.format,
        }),
      );
      return { job, warnings: found.sample.warnings };
    } catch (error) {
      await files.remove(id).catch((failure: unknown) => {
        logger.warn({ job: id, message: messageOf(failure) }, 'a refused upload could not be removed');
      });
      throw error;
    }
  };

  return (tenantId: string, exchange: UploadExchange, actor: Actor) => {
    const id = `imp_${newSecret(12)}`;
    return activeUploads.track(id, () => writing('the list', () => take(id, tenantId, exchange, actor)));
  };
}

export type ActiveUploads = ReturnType<typeof createActiveUploads>;

/** Uploads under way: their directory is there before their job. */
export function createActiveUploads() {
  const ids = new Set<string>();
  return {
    async track<T>(id: string, work: () => Promise<T>): Promise<T> {
      ids.add(id);
      try {
        return await work();
      } finally {
        ids.delete(id);
      }
    },
    ids: (): ReadonlySet<string> => ids,
  };
}
