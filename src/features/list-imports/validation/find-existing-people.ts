import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { TenantRefusal } from '../../../adapters/tenant-api/tenant-api.ts';
import { messageOf } from '../../../lib/errors.ts';
import { mkdtemp, rm } from '../../../lib/files/changes.ts';
import { spaceOf } from '../../tenants/tenant.ts';
import type { ValidationSummary } from '../job.ts';
import type { ImportsDeps } from '../list-imports.ts';
import { partMappings } from '../rows/files/part-columns.ts';
import { convertList } from '../rows/run-task.ts';
import { type ListFiles, questionFileName, questionPrefix } from '../upload/files.ts';
import { type MappedList, sourceOf } from './validation.ts';

/** Time limit for the tenant's answer to one part, in ms: a user is waiting. */
const requestTimeoutMs = 60_000;
/** Rows of a list that are checked with the tenant, at most: more would take too long. */
const maxRows = 50_000;

/** The limit of requests is reached. */
class Enough extends Error {}

/**
 * Counts the people of a list who are already in the tenant, each person once; changes nothing there.
 * Only the first rows of long lists. A tenant that is down or can't check does not block validation.
 * @returns null if the tenant can't check
 */
export function createFindExistingPeople(files: ListFiles, deps: ImportsDeps) {
  const { tenants, tenantApi, runtime, settings, logger } = deps;

  return async (job: MappedList, signal: AbortSignal): Promise<ValidationSummary['tenant_duplicates']> => {
    const tenant = await tenants.get(job.tenantId);
    if (!tenant.deployed || tenant.status !== 'running') return null;
    const space = spaceOf(tenant);
    const directory = await mkdtemp(join(files.directory(job.id), questionPrefix));
    const name = questionFileName(job.id, directory);
    const figures = { checked: 0, found: 0 };
    let put = false;
    try {
      const { apiKey } = await deps.configs.secretsOf(tenant.id);
      const source = await sourceOf(job, files, settings);
      const parts = { directory, rowsPerPart: deps.rowsPerPart, originals: false };
      await convertList(
        { ...source, ...parts, distinct: { rowCount: Math.min(job.rowCount, maxRows + deps.rowsPerPart) } },
        {
          signal,
          async onPart({ file, rows }) {
            put = true;
            const file_path = await runtime.putImportFile(space, name, createReadStream(join(directory, file)));
            await rm(join(directory, file));
            const address = await runtime.address({ tenant: space, role: 'api' }, tenant.backendPort);
            const mappings = partMappings(job.mappings, job.layout.headers, false);
            const call = { apiKey, timeoutMs: requestTimeoutMs, signal };
            const { duplicates } = await tenantApi.checkDuplicates(address, { file_path, mappings }, call);
            figures.checked += rows.length;
            figures.found += duplicates;
            if (figures.checked >= maxRows) throw new Enough();
          },
        },
      );
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof Enough)) {
        // 404: the application can't check, which need not be logged each time.
        if (!(error instanceof TenantRefusal && error.statusCode === 404))
          logger.warn({ job: job.id, message: messageOf(error) }, 'the tenant could not be asked for duplicates');
        return null;
      }
    } finally {
      // The tenant's first: as long as the directory is there, the next start knows of its file.
      const gone = put ? runtime.removeImportFile(space, name) : Promise.resolve();
      await gone.then(
        () => rm(directory, { recursive: true, force: true }),
        (error: unknown) => logger.warn({ job: job.id, message: messageOf(error) }, 'a file could not be removed'),
      );
    }
    return figures;
  };
}
