import { type Runtime, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { AppError } from '../../../lib/errors.ts';
import type { StepContext } from '../../../lib/operations/operation.ts';
import { WorkerError } from '../../../lib/workers/worker-task.ts';
import type { Deployments } from '../../deployments/deployments.ts';
import { type LiveRelease, spaceOf, type Tenant } from '../../tenants/tenant.ts';
import type { StateAt, UpgradeState } from './state.ts';
import type { UpgradeInput } from './upgrade.ts';

export interface UpgradeContext extends StepContext<UpgradeInput, UpgradeState> {
  /** Saves the whole state, so that the compiler checks that each stage has its facts. */
  save(state: UpgradeState): Promise<void>;
}

/** Whether the tenant should run after the upgrade: a stopped or never started tenant stays so. */
export const shouldRun = ({ before }: Pick<StateAt<'stopped'>, 'before'>): boolean =>
  before === 'running' || before === 'error';

export const nameOf = ({ version, commit }: LiveRelease): string => version ?? commit.slice(0, 12);

/** The state with the facts of the stages that a step expects. @throws Error in any other stage */
export function stateAt<Stage extends UpgradeState['stage']>(
  { state }: Pick<UpgradeContext, 'state'>,
  ...stages: readonly Stage[]
): StateAt<Stage> {
  const isExpected = (one: UpgradeState): one is StateAt<Stage> => stages.some((stage) => stage === one.stage);
  if (isExpected(state)) return state;
  throw new Error(`The upgrade is ${state.stage}, expected: ${stages.join(' or ')}`);
}

/** Saves a step's note for the response. */
export async function note(context: UpgradeContext, step: string, text: string): Promise<void> {
  await context.save({ ...context.state, notes: { ...context.state.notes, [step]: text } });
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
 * The cause of a failed preparation. A full disk, whichever program reported it, and a failed worker of the manager are no faults of
 * the version.
 */
export async function classifyFailure(
  error: unknown,
  { assertDiskSpace }: Pick<Deployments['parts'], 'assertDiskSpace'>,
): Promise<unknown> {
  if (error instanceof AppError) return error;
  if (error instanceof WorkerError) return new AppError('internal_error', error.message, { cause: error });
  return assertDiskSpace().then(
    () => error,
    (full: unknown) => (full instanceof AppError && full.code === 'insufficient_storage' ? full : error),
  );
}
