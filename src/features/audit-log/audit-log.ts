import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import { journalRoutes } from './routes.ts';
import { createJournalService, type JournalService } from './service.ts';
import { createLogStore } from './store.ts';

export interface JournalDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
}

export interface Journal extends JournalService {
  routes: Route[];
}

/** Log and audit entries. */
export function createJournal({ store, clock, logger }: JournalDeps): Journal {
  const service = createJournalService(createLogStore(store), clock, logger);
  return { ...service, routes: journalRoutes(service) };
}
