import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Step } from '../../../lib/operations/operation.ts';
import type { UpgradeDependencies } from '../dependencies.ts';
import type { UpgradeContext } from './context.ts';
import type { UpgradeInput, UpgradeState } from './upgrade.ts';

type UpgradeStep = Step<UpgradeInput, UpgradeState>;

/** How long a rollback waits for an engine, in ms: longer than a host takes to start one again with all its containers. */
const longestWaitMs = 5 * 60_000;
const pauseMs = 1_000;

const has = (code: string, error: unknown): boolean => error instanceof AppError && error.code === code;

/**
 * The step as it is to be where the engine may go away in its middle (it is updated, say). Its way back waits for it, once the services
 * were touched: given up at once, the tenant would stay down until somebody comes. That it was away is kept: the version is not to blame.
 */
export function withRuntimeRetry(step: UpgradeStep, { runtime }: Pick<UpgradeDependencies, 'runtime'>): UpgradeStep {
  const { run, undo } = step;

  /** Whether the engine is what went wrong; databases in it answer a moment after it does. */
  async function isRuntimeDown({ state }: UpgradeContext, error: unknown): Promise<boolean> {
    if (has('runtime_unavailable', error) || (state.engineAway && has('database_unavailable', error))) return true;
    return !(await runtime.availability()).available;
  }

  async function undoWithRetry(context: UpgradeContext, back: NonNullable<UpgradeStep['undo']>): Promise<void> {
    const deadline = performance.now() + longestWaitMs;
    for (let told = false; ; told = true) {
      try {
        await back(context);
        return;
      } catch (error) {
        context.signal.throwIfAborted();
        const waits = context.state.before !== undefined && performance.now() < deadline;
        if (!waits || !(await isRuntimeDown(context, error))) throw error;
        if (!told) context.log(`The rollback waits: ${messageOf(error)}`);
        await context.save({ engineAway: true });
        await sleep(pauseMs, undefined, { signal: context.signal });
      }
    }
  }

  return {
    ...step,
    async run(context) {
      try {
        return await run(context);
      } catch (error) {
        if (!context.signal.aborted && has('runtime_unavailable', error)) await context.save({ engineAway: true });
        throw error;
      }
    },
    ...(undo ? { undo: (context) => undoWithRetry(context, undo) } : {}),
  };
}
