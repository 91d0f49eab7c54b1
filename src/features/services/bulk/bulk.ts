import type { Route } from '../../../lib/http/routing/route.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import { type BulkOperationDeps, bulkOperation } from './operation.ts';
import { bulkRoutes } from './routes.ts';
import { type BulkService, type BulkServiceDeps, createBulkService } from './service.ts';

export interface Bulk extends Pick<BulkService, 'stream'> {
  routes: Route[];
  engine: OperationEngine;
}

/** Bulk operations: start, stop and restart of many tenants on the manager. */
export function createBulk(deps: BulkServiceDeps & BulkOperationDeps): Bulk {
  deps.engine.register(bulkOperation(deps));
  const service = createBulkService(deps);
  return { routes: bulkRoutes(service), engine: deps.engine, stream: service.stream };
}
