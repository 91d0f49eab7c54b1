import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Store } from '../../platform/store/store.ts';

export interface JournalDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
}

export interface Journal {
  routes: Route[];
  write: WriteJournal;
  /** Removes entries made before this moment, in portions. @returns how many */
  removeOlderThan(before: Date): Promise<number>;
}

export declare function createJournal(deps: JournalDeps): Journal;
