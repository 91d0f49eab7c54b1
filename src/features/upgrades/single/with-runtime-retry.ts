import { backoff, retry } from '../../../lib/concurrency/retry.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Step } from '../../../lib/operations/operation.ts';
import { WorkerError } from '../../../lib/workers/worker-task.ts';
import type { UpgradeContext } from './context.ts';
import type { UpgradeState } from './state.ts';
import type { UpgradeInput, UpgradesDeps } from './upgrade.ts';

type UpgradeStep = Step<UpgradeInput, UpgradeState>;

/** How long a rollback waits for the runtime, in ms: longer than a host takes to restart the engine and all containers. */
const maxWaitMs = 5 * 60_000;
const retryDelayMs = 1_000;

const has = (code: string, error: unknown): boolean => error instanceof AppError && error.code === code;

/**
 * Makes a step robust against a runtime that becomes unavailable (an engine update, for example). Once the services were
 * touched, its rollback waits for the runtime, because otherwise the tenant would stay down. The state records it, and a failed worker
 * of the manager, so that the failure does not count against the version.
 */
export function withRuntimeRetry(step: UpgradeStep, { runtime }: UpgradesDeps): UpgradeStep {
  const { run, undo } = step;

  /** Whether the runtime caused the error; databases in it answer shortly after it does. */
  async function isRuntimeDown({ state }: UpgradeContext, error: unknown): Promise<boolean> {
    if (has('runtime_unavailable', error) || (state.engineAway && has('database_unavailable', error))) return true;
    return !(await runtime.availability()).available;
  }

  async function undoWithRetry(context: UpgradeContext, rollBack: NonNullable<UpgradeStep['undo']>): Promise<void> {
    let logged = false;
    try {
      await retry(() => rollBack(context), {
        delaysMs: backoff(retryDelayMs, retryDelayMs, maxWaitMs),
        signal: context.signal,
        isTransient: async (error) => 'before' in context.state && (await isRuntimeDown(context, error)),
        async onFailure(error) {
          if (!logged) context.log(`The rollback waits for the runtime: ${messageOf(error)}`);
          logged = true;
          await context.save({ ...context.state, engineAway: true });
        },
      });
    } catch (error) {
      context.signal.throwIfAborted();
      throw error;
    }
  }

  return {
    ...step,
    async run(context) {
      try {
        return await run(context);
      } catch (error) {
        if (!context.signal.aborted && has('runtime_unavailable', error))
          await context.save({ ...context.state, engineAway: true });
        if (error instanceof WorkerError) await context.save({ ...context.state, workerFailed: true });
        throw error;
      }
    },
    ...(undo ? { undo: (context) => undoWithRetry(context, undo) } : {}),
  };
}
