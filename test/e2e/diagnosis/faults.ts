import type { CauseCode, Diagnosis } from '../../../src/features/diagnosis/diagnosis.ts';
import type { App } from '../../harness/app/app.ts';
import { until } from '../../harness/data/tenants.ts';

/** A fault of a unit that the faulty application produces, and the cause that must be found. */
export type UnitFault = [fault: string, role: 'api' | 'frontend', expected: CauseCode];

export const diagnosisOf = (app: App, id: string): Promise<Diagnosis> =>
  app.manager.app.diagnosis.of(id, { fresh: true });

/** The diagnosis once its cause is this one; a fault takes a moment to show. @throws Error with the last diagnosis */
export const diagnosed = (app: App, id: string, code: CauseCode, maxWaitMs = 20_000): Promise<Diagnosis> =>
  until(
    () => diagnosisOf(app, id),
    ({ cause }) => cause?.code === code,
    maxWaitMs,
  );

/** The diagnosis once nothing is wrong. */
export const well = (app: App, id: string, maxWaitMs = 30_000): Promise<Diagnosis> =>
  until(
    () => diagnosisOf(app, id),
    ({ cause, known }) => cause === null && known,
    maxWaitMs,
  );

/** Sets settings of the manager. */
export async function setSettings(app: App, values: Record<string, unknown>): Promise<void> {
  for (const [key, value] of Object.entries(values)) {
    const { status, body } = await app.call('PUT', `/api/settings/${key}`, { body: { value } });
    if (status !== 200) throw new Error(`${key} was refused: ${JSON.stringify(body)}`);
  }
}
