import { type Runtime, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { AppError } from '../../../lib/errors.ts';
import type { StepContext } from '../../../lib/operations/operation.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import { type LiveRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { UpgradeInput, UpgradeState } from './upgrade.ts';

export type UpgradeContext = StepContext<UpgradeInput, UpgradeState>;

/** Whether the tenant should run after the upgrade: a stopped or never started tenant stays so. */
export const shouldRun = ({ state }: Pick<UpgradeContext, 'state'>): boolean =>
  state.before === 'running' || state.before === 'error';

export const nameOf = ({ version, commit }: LiveRelease): string => version ?? commit.slice(0, 12);

/** The release that the first step prepared. */
export function prepared({ state }: UpgradeContext): LiveRelease {
  if (!state.release) throw new Error('The version has not been prepared');
  return state.release;
}

/** Saves a step's note for the response. */
export async function note(context: UpgradeContext, step: string, text: string): Promise<void> {
  await context.save({ notes: { ...context.state.notes, [step]: text } });
}

/** Stops or starts both units of a tenant; does nothing to a unit that is already in that state. */
export function createUnitControl(runtime: Pick<Runtime, 'start' | 'stop'>) {
  return {
    async stop(tenant: Tenant): Promise<void> {
      for (const role of ['frontend', 'api'] as const) await runtime.stop({ tenant: spaceOf(tenant), role });
    },
    async start(tenant: Tenant): Promise<void> {
      for (const role of unitRoles) await runtime.start({ tenant: spaceOf(tenant), role });
    },
  };
}

/**
 * The cause of a failed preparation: if the disk is full now, that is the cause, whichever program reported it, and not a
 * fault of the version.
 */
export async function classifyFailure(
  error: unknown,
  { assertDiskSpace }: Pick<Deployments['parts'], 'assertDiskSpace'>,
): Promise<unknown> {
  if (error instanceof AppError) return error;
  return assertDiskSpace().then(
    () => error,
    (full: unknown) => (full instanceof AppError && full.code === 'insufficient_storage' ? full : error),
  );
}
