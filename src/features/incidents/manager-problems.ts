import type { Clock } from '../../lib/clock.ts';
import { causeKey, type SystemCause } from './cause.ts';
import { type Incident, severityOf } from './incident.ts';
import type { Records } from './records.ts';
import type { IncidentStore } from './store.ts';
import { checksToRecover, Streaks } from './streaks.ts';

export interface ManagerProblemsDeps {
  records: Records;
  clock: Clock;
  failuresToOpen(): Promise<number>;
  onOpened(): void;
}

/** Opens and resolves incidents for the problems of the manager's dependencies. @returns takes the present ones */
export function createManagerProblems(
  rows: IncidentStore,
  { records, clock, failuresToOpen, onOpened }: ManagerProblemsDeps,
) {
  const { entry, publish } = records;
  const streaks = new Streaks();

  async function open(cause: SystemCause): Promise<void> {
    const known = await rows.findOpen(causeKey(cause));
    if (known) await records.raise(known, severityOf(cause, 1));
    if (known?.foundByManager === 'failing') return;
    const found = { foundByManager: 'failing', detail: cause.detail } as const;
    const incident = known ?? (await records.create(cause, null, found));
    await rows.transaction(async (within) => {
      if (known) await rows.update(known.id, found, within);
      else await rows.insert(incident, within);
      await rows.addEntry(entry(incident.id, known ? 'diagnosis_changed' : 'opened', { text: cause.title }), within);
    });
    publish(incident);
    onOpened();
  }

  async function recover(incident: Incident): Promise<void> {
    const isAffected = (await rows.members([incident.id])).some(({ leftAt }) => leftAt === null);
    await rows.transaction(async (within) => {
      await rows.update(incident.id, { foundByManager: 'recovered' }, within);
      if (!isAffected) await records.resolve(incident, { closed: false }, within);
    });
    publish({ id: incident.id, status: isAffected ? incident.status : 'resolved' });
  }

  return async (problems: readonly SystemCause[]): Promise<void> => {
    const present = new Map(problems.map((cause) => [causeKey(cause), cause]));
    const needed = await failuresToOpen();
    for (const [key, cause] of present) if (streaks.bad(key, clock.now()) >= needed) await open(cause);
    const unresolved = (await rows.unresolved()).filter(({ foundByManager }) => foundByManager === 'failing');
    for (const incident of unresolved) {
      const key = incident.openKey ?? '';
      // Without the engine nothing is known of its nodes.
      if (incident.scopeKind === 'node' && present.has('engine')) continue;
      if (!present.has(key) && streaks.good(key, clock.now()).good >= checksToRecover) await recover(incident);
    }
    for (const key of streaks.names())
      if (!present.has(key) && !unresolved.some(({ openKey }) => openKey === key)) streaks.forget(key);
  };
}
