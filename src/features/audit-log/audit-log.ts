import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import { auditLogRoutes } from './routes.ts';
import { type AuditLogService, createAuditLogService } from './service.ts';
import { createLogStore } from './store.ts';

export interface AuditLogDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
}

export interface AuditLog extends AuditLogService {
  routes: Route[];
}

/** Writes and lists log and audit entries. */
export function createAuditLog({ store, clock, logger }: AuditLogDeps): AuditLog {
  const service = createAuditLogService(createLogStore(store), clock, logger);
  return { ...service, routes: auditLogRoutes(service) };
}
