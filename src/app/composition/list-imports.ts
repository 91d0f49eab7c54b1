import { join } from 'node:path';
import { createAssistant } from '../../adapters/assistant/assistant.ts';
import type { Store } from '../../adapters/store/store.ts';
import { isStoreUnavailable } from '../../adapters/store/translate-error.ts';
import { createImports } from '../../features/list-imports/create-imports.ts';
import { importWork } from '../../features/list-imports/execution/execution.ts';
import { importJobOf } from '../../features/list-imports/execution/import-state.ts';
import type { ImportsDeps } from '../../features/list-imports/list-imports.ts';
import { createMappingSuggestions } from '../../features/list-imports/mapping/suggest.ts';
import {
  createImportOperations,
  createJobStore,
  createLearnedStore,
  createTemplateStore,
} from '../../features/list-imports/store.ts';
import type { Settings } from '../../features/settings/settings.ts';
import { messageOf } from '../../lib/errors.ts';
import { OperationEngine } from '../../lib/operations/engine.ts';
import { SubjectLocks } from '../../lib/operations/subject-locks.ts';
import { assistantAddress } from '../config/assistant-settings.ts';
import { removeOrphanedStreamFiles } from '../lifecycle/orphaned-stream-files.ts';
import { operationMessages } from '../realtime/operation-messages.ts';

/** An import may run concurrently with other operations on its tenant, except those that remove or replace the data. */
const meets = ['delete', 'restore', 'upgrade', importWork.import, importWork.undo];
export const createSubjectLocks = (): SubjectLocks =>
  new SubjectLocks({ [importWork.import]: meets, [importWork.undo]: meets });

/** How lists are imported; see ImportsDeps. */
export type Importing = Partial<Pick<ImportsDeps, 'rowsPerPart' | 'tenantTimeoutMs'>>;
/** Large enough that the overhead of a part is small, small enough that repeating a part is cheap. */
const usualRowsPerPart = 5_000;
/** The retries outlast a tenant's restart. */
const usualTenantTimeoutMs = 5 * 60_000;
/** An import of a million rows into a slow tenant takes hours; what hangs in it has time limits of its own. */
const stepTimeoutMs = 24 * 3_600_000;

/** The list loader. It has its own operation engine, so imports do not make a tenant busy for other operations. */
export function composeListImports({
  store,
  clock,
  logger,
  events,
  writeAuditLog,
  runtime,
  tenants,
  tenantApi,
  configs,
  locks,
  settings,
  dataDirectory,
  importing,
}: Pick<
  ImportsDeps,
  'clock' | 'logger' | 'events' | 'writeAuditLog' | 'runtime' | 'tenants' | 'tenantApi' | 'configs'
> & {
  store: Store;
  locks: SubjectLocks;
  settings: Pick<Settings, 'read'>;
  dataDirectory: string;
  importing: Importing | undefined;
}) {
  const directory = join(dataDirectory, 'imports');
  const operations = createImportOperations(store, importJobOf);
  const engine = new OperationEngine({
    journal: operations,
    messages: operationMessages,
    isTransient: isStoreUnavailable,
    directory: join(directory, 'operations'),
    clock,
    logger,
    locks,
    concurrency: () => settings.read('import_concurrency'),
    stepTimeoutMs: async () => stepTimeoutMs,
  });
  const imports = createImports({
    clock,
    logger,
    events,
    writeAuditLog,
    runtime,
    tenants,
    tenantApi,
    configs,
    engine,
    jobs: createJobStore(store, clock),
    templates: createTemplateStore(store),
    learned: createLearnedStore(store),
    operations,
    directory,
    suggestMappings: createMappingSuggestions({
      assistant: createAssistant(assistantAddress(settings)),
      rawSamples: () => settings.read('ai_raw_samples'),
      logger,
    }),
    rowsPerPart: importing?.rowsPerPart ?? usualRowsPerPart,
    tenantTimeoutMs: importing?.tenantTimeoutMs ?? usualTenantTimeoutMs,
    settings: {
      maxUploadBytes: async () => (await settings.read('import_max_upload_mb')) * 1024 ** 2,
      retentionDays: () => settings.read('import_retention_days'),
      region: async () => (await settings.read('import_phone_region')) || 'US',
    },
  });
  events.on('tenant_status', ({ status }) => {
    if (status !== 'deleted') return;
    imports
      .removeOrphans()
      .catch((error: unknown) =>
        logger.warn({ message: messageOf(error) }, 'lists of a deleted tenant are still there'),
      );
  });
  return {
    ...imports,
    engine,
    /** Removes what is kept no longer. */
    async tidy(): Promise<void> {
      await imports.applyRetention();
      await imports.removeOrphans();
      await removeOrphanedStreamFiles(join(directory, 'operations'), operations.open);
    },
  };
}
