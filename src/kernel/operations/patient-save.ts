import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { OperationJournal, OperationRecord } from './operation.ts';

/** How long a store that does not answer is waited for before an operation is left open for the next start. */
const patienceMs = 10 * 60_000;

/**
 * Saves a record; a store that is away for a while is waited for, as nothing may go on that is not in the journal.
 * @throws what the store threw last, when the patience is over or `stopping` says so
 */
export async function patientSave(
  journal: OperationJournal,
  record: OperationRecord,
  options: { logger: Logger; stopping(): boolean },
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (let pause = 250; ; pause = Math.min(pause * 2, 10_000)) {
    try {
      return await journal.save(record);
    } catch (error) {
      if (options.stopping() || performance.now() > deadline) throw error;
      options.logger.warn({ operation: record.id, message: messageOf(error) }, 'journal not written, trying again');
      await sleep(pause);
    }
  }
}
