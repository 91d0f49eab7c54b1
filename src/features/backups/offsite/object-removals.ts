import { messageOf } from '../../../lib/errors.ts';
import type { BackupsDeps } from '../backup.ts';
import type { RemovalStore } from '../store.ts';
import { retryDelayMs } from './remote-copies.ts';

/** Logs the first failure and then every tenth. */
const journalInterval = 10;

/**
 * Removes the objects of deleted backups that are due; failed removals stay in the store for a retry.
 * @param options.ids only these, due or not
 */
export type RemoveObjects = (signal: AbortSignal, options?: { ids: readonly string[] }) => Promise<void>;

export function createObjectRemovals(
  removals: RemovalStore,
  { offsite, clock, writeAuditLog }: BackupsDeps,
): RemoveObjects {
  return async (signal, options) => {
    for (const { id, key, place, tries, triedAt } of await removals.all()) {
      if (signal.aborted) return;
      if (options ? !options.ids.includes(id) : !isDue(triedAt, tries)) continue;
      try {
        await (await offsite.open(place)).remove(key, signal);
        await removals.remove(id);
      } catch (error) {
        const message = messageOf(error);
        await removals.update(id, { error: message, tries: tries + 1, triedAt: clock.now() });
        if (tries % journalInterval === 0)
          await writeAuditLog({
            level: 'warning',
            category: 'system',
            message: `The bucket’s copy of a deleted backup could not be removed; the manager retries it: ${message}`,
            details: { backup_id: id, key, bucket: place.bucket },
          });
      }
    }
  };

  function isDue(triedAt: Date | null, tries: number): boolean {
    return triedAt === null || triedAt.getTime() + retryDelayMs(tries) <= clock.now().getTime();
  }
}
