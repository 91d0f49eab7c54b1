import { createReadStream } from 'node:fs';
import type { BulkImportAnswer } from '../../../adapters/tenant-api/schema.ts';
import { type BulkImport, TenantRefusal } from '../../../adapters/tenant-api/tenant-api.ts';
import { backoff, retry } from '../../../lib/concurrency/retry.ts';
import type { Work as AnyWork } from '../../../lib/concurrency/work.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { Retry } from '../job.ts';
import type { ImportsDeps } from '../list-imports.ts';

/** A tenant may take so long over one part, in ms. */
const partTimeoutMs = 10 * 60_000;
const firstRetryDelayMs = 500;
const maxRetryDelayMs = 10_000;

export interface Work extends AnyWork {
  /** Called before the wait for another attempt. */
  onRetry(retry: Retry): Promise<void>;
}

/**
 * Puts one file before the tenant's bulk import. A tenant that does not answer, or answers that it can't just now, is asked again
 * for a while: it may be restarting. Each time it is the same request, so that one whose answer was lost is not done twice.
 * @param name of the file in the tenant's import directory, where it stays
 * @throws AppError tenant_unreachable, tenant_error; the signal's reason
 */
export async function sendPart(
  tenantId: string,
  file: { path: string; name: string; rows: number },
  body: Omit<BulkImport, 'file_path'>,
  { runtime, tenants, tenantApi, configs, tenantTimeoutMs, clock }: ImportsDeps,
  { log, signal, onRetry }: Work,
): Promise<BulkImportAnswer> {
  const attempt = async (): Promise<BulkImportAnswer> => {
    // Read again: the tenant may have been redeployed.
    const tenant: Tenant = await tenants.get(tenantId);
    const file_path = await runtime.putImportFile(spaceOf(tenant), file.name, createReadStream(file.path));
    signal.throwIfAborted();
    const address = await runtime.address({ tenant: spaceOf(tenant), role: 'api' }, tenant.backendPort);
    const { apiKey } = await configs.secretsOf(tenantId);
    const call = { apiKey, timeoutMs: partTimeoutMs, signal };
    return tenantApi.bulkImport(address, { ...body, file_path }, call);
  };
  try {
    return await retry(async () => agreed(await attempt(), file.rows), {
      delaysMs: backoff(firstRetryDelayMs, maxRetryDelayMs, tenantTimeoutMs),
      signal,
      isTransient: maySucceedLater,
      onFailure(error, { attempt: next, delayMs }) {
        const reason = messageOf(error);
        const at = new Date(clock.now().getTime() + delayMs).toISOString();
        log(`Part ${body.part}: ${reason}; attempt ${next} at ${at}`);
        return onRetry({ attempt: next, next_attempt_at: at, reason });
      },
    });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

function maySucceedLater(error: unknown): boolean {
  if (error instanceof TenantRefusal) return error.statusCode >= 500 || error.statusCode === 429;
  return !(error instanceof AppError) || !['tenant_error', 'not_found'].includes(error.code);
}

/** A tenant that read other rows than it was given has not understood the file. */
function agreed(answer: BulkImportAnswer, rows: number): BulkImportAnswer {
  const { total, imported, updated, duplicates, failed } = answer;
  if (total === rows && imported + updated + duplicates + failed === total) return answer;
  throw new AppError(
    'tenant_error',
    `The tenant’s figures do not add up: of ${rows} rows it reports ${total} as read, with ${imported} imported, ${updated} updated, ${duplicates} duplicates and ${failed} failed`,
  );
}
