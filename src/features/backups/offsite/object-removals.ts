import type { WriteJournal } from '../../../adapters/events/journal-entry.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Offsite } from '../dependencies.ts';
import type { RemovalStore } from '../store.ts';
import { retryDelayMs } from './offsite.ts';

/** Told to the journal at the first failure and then so seldom. */
const toldEvery = 10;

/**
 * Removes the objects of backups that are gone, those whose time has come; what the service does not remove now stays noted.
 * @param options.ids these alone, whenever they were last tried
 */
export type RemoveObjects = (signal: AbortSignal, options?: { ids: readonly string[] }) => Promise<void>;

export function createObjectRemovals(
  removals: RemovalStore,
  { offsite, clock, journal }: { offsite: Offsite; clock: Clock; journal: WriteJournal },
): RemoveObjects {
  return async (signal, options) => {
    for (const { id, key, place, tries, triedAt } of await removals.all()) {
      if (signal.aborted) return;
      if (options ? !options.ids.includes(id) : notYet(triedAt, tries)) continue;
      try {
        await (await offsite.open(place)).remove(key, signal);
        await removals.remove(id);
      } catch (error) {
        const message = messageOf(error);
        await removals.update(id, { error: message, tries: tries + 1, triedAt: clock.now() });
        if (tries % toldEvery === 0)
          await journal({
            level: 'warning',
            category: 'system',
            message: `A deleted backup’s copy could not be removed yet: ${message}`,
            details: { backup_id: id, key, bucket: place.bucket },
          });
      }
    }
  };

  function notYet(triedAt: Date | null, tries: number): boolean {
    return triedAt !== null && triedAt.getTime() + retryDelayMs(tries) > clock.now().getTime();
  }
}
