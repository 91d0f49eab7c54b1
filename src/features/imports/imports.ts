import { notFound } from '../../kernel/errors.ts';
import type { Tail } from '../../kernel/streams/tail.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Store } from '../../platform/store/store.ts';
import { analysisOperation } from './analysis.ts';
import { createArrivals } from './arrivals.ts';
import { checkRoutes } from './check-routes.ts';
import type { ImportDependencies } from './dependencies.ts';
import { createExamine } from './examine.ts';
import { createExecution } from './execution.ts';
import { createListFiles } from './files.ts';
import { createHousekeeping, type Housekeeping } from './housekeeping.ts';
import { importOperation } from './import-operation.ts';
import { importRoutes } from './import-routes.ts';
import { createJobStreams } from './job-streams.ts';
import { createKnownToTenant } from './known-to-tenant.ts';
import { createLanes } from './lanes.ts';
import { listRoutes } from './list-routes.ts';
import { mappingRoutes } from './mapping-routes.ts';
import { createReadAgain } from './read-again.ts';
import { createListService } from './service.ts';
import { createJobStore, createTemplateStore } from './store.ts';
import { templateRoutes } from './template-routes.ts';
import { createTemplates } from './templates.ts';
import { createTakeUpload } from './upload.ts';
import { createCheckRows, createValidation } from './validation.ts';

/** The list loader: contact lists into tenants. */
export interface Imports extends Housekeeping {
  routes: Route[];
  /** What is told of a job as it happens. @throws AppError not_found */
  stream(jobId: string): Promise<Tail>;
}

/** Threads that read lists for somebody who waits. */
const readers = 2;

export interface ImportsDeps extends Omit<ImportDependencies, 'jobs' | 'templates'> {
  store: Store;
}

export function createImports({ store, ...outside }: ImportsDeps): Imports {
  const deps: ImportDependencies = {
    ...outside,
    jobs: createJobStore(store, outside.clock),
    templates: createTemplateStore(store),
  };
  const files = createListFiles(deps.directory);
  const lanes = createLanes(readers);
  const examine = createExamine(lanes);
  const arrivals = createArrivals();
  const streams = createJobStreams(deps.events);
  const checkRows = createCheckRows(files, deps);
  deps.engine.register(analysisOperation(deps, files, streams));
  deps.engine.register(importOperation({ files, streams, lanes, checkRows }, deps));
  const templates = createTemplates(deps);
  const lists = createListService({ files, streams, templates }, deps);
  const execution = createExecution(lists, streams, deps);
  const ask = createKnownToTenant(files, deps);
  // Lanes of their own: who waits for a tenant must not hold up who uploads.
  const asking = createLanes(readers);
  const knownToTenant: typeof ask = (job, signal) => asking.run(signal, () => ask(job, signal));
  const validate = createValidation({ lanes, streams, checkRows, knownToTenant }, deps);
  return {
    ...createHousekeeping({ files, streams, arrivals }, deps),
    routes: [
      ...listRoutes({
        lists,
        takeUpload: createTakeUpload({ files, examine, arrivals }, deps),
        readAgain: createReadAgain({ files, streams, lists, examine }, deps),
      }),
      ...mappingRoutes(lists),
      ...checkRoutes(lists, validate),
      ...importRoutes(lists, execution),
      ...templateRoutes(templates),
    ],
    async stream(jobId) {
      const job = await deps.jobs.find(jobId);
      if (!job) throw notFound('import job', jobId);
      return streams.stream(job);
    },
  };
}
