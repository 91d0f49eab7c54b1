import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';
import { notFound } from '../../lib/errors.ts';
import { correctionRoutes } from './corrections/correction-routes.ts';
import { createCorrections } from './corrections/corrections.ts';
import { createExecution } from './execution/execution.ts';
import { importOperation } from './execution/import-operation.ts';
import { importRoutes } from './execution/import-routes.ts';
import { createJobStreams } from './job-streams.ts';
import { createLearning } from './learning/learned.ts';
import { learningRoutes } from './learning/learning-routes.ts';
import type { Imports, ImportsDeps } from './list-imports.ts';
import { createWorkerPool } from './rows/run-task.ts';
import { createListService } from './service.ts';
import { mappingRoutes } from './templates/mapping-routes.ts';
import { templateRoutes } from './templates/template-routes.ts';
import { createTemplates } from './templates/templates.ts';
import { analysisOperation } from './upload/analysis.ts';
import { createListFiles } from './upload/files.ts';
import { createHousekeeping } from './upload/housekeeping.ts';
import { createInspectFile } from './upload/inspect-file.ts';
import { listRoutes } from './upload/list-routes.ts';
import { createReparse } from './upload/reparse.ts';
import { createActiveUploads, createTakeUpload } from './upload/upload.ts';
import { checkRoutes } from './validation/check-routes.ts';
import { createFindExistingPeople } from './validation/find-existing-people.ts';
import { createCheckRows, createValidation } from './validation/validation.ts';

/** Threads that read lists while a user waits. */
const readers = 2;

/** Creates the parts of the list loader and connects them. */
export function createImports(deps: ImportsDeps): Imports {
  const files = createListFiles(deps.directory);
  const filePool = createWorkerPool(readers);
  const inspect = createInspectFile(filePool);
  const activeUploads = createActiveUploads();
  const streams = createJobStreams(deps.events);
  const checkRows = createCheckRows(files, deps);
  const learning = createLearning(deps);
  deps.engine.register(analysisOperation({ files, streams, learning }, deps));
  deps.engine.register(importOperation({ files, streams, pool: filePool, checkRows }, deps));
  const templates = createTemplates(deps);
  const lists = createListService({ files, streams, templates, learning }, deps);
  const changes = new KeyedLock();
  const corrections = createCorrections({ files, lists, changes }, deps);
  const execution = createExecution({ lists, streams, changes }, deps);
  const findExisting = createFindExistingPeople(files, deps);
  // A pool of its own: users who wait for a tenant must not hold up those who upload.
  const remotePool = createWorkerPool(readers);
  const knownToTenant: typeof findExisting = (job, signal) => remotePool.run(signal, () => findExisting(job, signal));
  const validate = createValidation({ pool: filePool, streams, checkRows, knownToTenant, files, changes }, deps);
  return {
    ...createHousekeeping({ files, streams, activeUploads }, deps),
    routes: [
      ...listRoutes({
        lists,
        takeUpload: createTakeUpload({ files, inspect, activeUploads }, deps),
        reparse: createReparse({ files, streams, lists, inspect }, deps),
      }),
      ...mappingRoutes(lists),
      ...checkRoutes(lists, validate),
      ...correctionRoutes(corrections),
      ...importRoutes(lists, execution),
      ...templateRoutes(templates),
      ...learningRoutes(learning),
    ],
    async stream(jobId) {
      const job = await deps.jobs.find(jobId);
      if (!job) throw notFound('import job', jobId);
      return streams.stream(job);
    },
  };
}
