import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Store } from '../../platform/store/store.ts';
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
