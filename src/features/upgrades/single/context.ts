import { type Runtime, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import type { StepContext } from '../../../lib/operations/operation.ts';
import { type LiveRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
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

/** Both units of a tenant at a time; one that is so already is fine. */
export function createServices(runtime: Pick<Runtime, 'start' | 'stop'>) {
  return {
    async stop(tenant: Tenant): Promise<void> {
      for (const role of ['frontend', 'api'] as const) await runtime.stop({ tenant: spaceOf(tenant), role });
    },
    async start(tenant: Tenant): Promise<void> {
      for (const role of unitRoles) await runtime.start({ tenant: spaceOf(tenant), role });
    },
  };
}
