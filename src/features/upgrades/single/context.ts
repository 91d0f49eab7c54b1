import type { StepContext } from '../../../lib/operations/operation.ts';
import type { LiveRelease } from '../../tenants/tenant.ts';
import type { UpgradeInput, UpgradeState } from './upgrade.ts';

export type UpgradeContext = StepContext<UpgradeInput, UpgradeState>;

/** Whether the tenant is to run in the end: one that was stopped, or never started, ends so. */
export const isToRun = ({ state }: Pick<UpgradeContext, 'state'>): boolean =>
  state.before === 'running' || state.before === 'error';

export const nameOf = ({ version, commit }: LiveRelease): string => version ?? commit.slice(0, 12);

/** The release that the first step has brought here. */
export function prepared({ state }: UpgradeContext): LiveRelease {
  if (!state.release) throw new Error('The version has not been prepared');
  return state.release;
}

/** Keeps what a step has to tell, for the answer. */
export async function note(context: UpgradeContext, step: string, text: string): Promise<void> {
  await context.save({ notes: { ...context.state.notes, [step]: text } });
}
