import { setTimeout as sleep } from 'node:timers/promises';
import PQueue from 'p-queue';
import { isStoreUnavailable } from '../../../adapters/store/translate-error.ts';
import { poll } from '../../../lib/concurrency/poll.ts';
import { retryUntilStopped } from '../../../lib/concurrency/retry.ts';
import { AppError, type ErrorCode, messageOf } from '../../../lib/errors.ts';
import { ManagerStopping } from '../../../lib/operations/abort-reasons.ts';
import type { OperationDefinition, StepContext } from '../../../lib/operations/operation.ts';
import {
  type BulkDeps,
  type BulkInput,
  type BulkResult,
  type BulkState,
  bulkInput,
  bulkState,
  countResults,
} from './bulk-operation.ts';
import { resultMessage } from './messages.ts';
import type { BulkStore } from './store.ts';

export const bulkKind = 'bulk';

/** How long a stopping manager waits for actions in progress, in ms; less than the engine's limit. */
const stopGraceMs = 15_000;
const busyRetryMs = 500;
const interrupted = 'The manager stopped while it processed this tenant. The result is unknown.';

/**
 * One action on many tenants. Each result goes from `pending` to `running` to `success`, `failed` or `skipped`, saved before and
 * after the action. After a restart, the manager repeats the action for `running` tenants: all actions are idempotent, and an
 * interrupted restart may have left units stopped.
 */
export function bulkOperation(rows: BulkStore, deps: BulkDeps): OperationDefinition<BulkInput, BulkState> {
  const { writeAuditLog, clock } = deps;
  return {
    kind: bulkKind,
    steps: [
      {
        name: 'Work on the tenants',
        async run(context) {
          const results = await rows.results(context.operationId);
          await processTenants(results, context, rows, deps);
          context.signal.throwIfAborted();
          const { failed } = countResults(results);
          if (failed > 0) throw new Error(`${failed} of ${results.length} tenants failed`);
          return undefined;
        },
      },
    ],
    parseInput: (value) => bulkInput.parse(value),
    parseState: (value) => bulkState.parse(value),
    async settle({ operationId, input, save }, { outcome, error }) {
      const finishedAt = clock.now();
      const unknown = { code: 'internal_error', detail: interrupted } as const;
      const gaveUp = { code: 'internal_error', detail: error?.message ?? 'The operation ended early' } as const;
      await rows.endResults(operationId, 'running', { status: 'failed', error: unknown, finishedAt });
      await rows.endResults(
        operationId,
        'pending',
        outcome === 'cancelled'
          ? { status: 'skipped', error: null, finishedAt }
          : { status: 'failed', error: gaveUp, finishedAt },
      );
      const counts = countResults(await rows.results(operationId));
      await save({ counts });
      await writeAuditLog({
        level: outcome === 'success' ? 'info' : 'warning',
        category: 'system',
        message: `Bulk ${input.action} of ${input.actor.username} ended: ${describe(counts)}`,
        details: { bulk_id: operationId, action: input.action, outcome, ...counts },
      });
    },
  };
}

/** An undeployed tenant, or one that has the version, does not count as a failure; neither does a missing one. */
const noFailures: ReadonlySet<ErrorCode> = new Set(['not_deployed', 'already_latest']);

const describe = ({ success, failed, skipped }: BulkState['counts']): string =>
  `${success} succeeded, ${failed} failed, ${skipped} skipped`;

/** Processes all unfinished tenants; after an abort, starts no more and waits for those in progress. */
async function processTenants(
  results: BulkResult[],
  { operationId, input, save, publish, signal }: StepContext<BulkInput, BulkState>,
  rows: BulkStore,
  deps: BulkDeps,
): Promise<void> {
  const { actions, tenants, clock, logger } = deps;
  const queue = new PQueue({ concurrency: input.concurrency });
  const stopping = new AbortController();
  const onAbort = (): void => {
    queue.clear();
    if (signal.reason instanceof ManagerStopping) stopping.abort(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  let failure: unknown;

  async function change(result: BulkResult, changes: Partial<BulkResult>): Promise<void> {
    Object.assign(result, changes);
    const tools = { operation: operationId, logger, stopping: stopping.signal };
    await retryUntilStopped(() => rows.saveResult(operationId, result), tools);
    const counts = countResults(results);
    await save({ counts });
    publish(resultMessage(operationId, counts, result));
  }

  async function act(result: BulkResult): Promise<void> {
    await change(result, { status: 'running', startedAt: clock.now() });
    const end = await outcome(result);
    if (end) await change(result, { ...end, finishedAt: clock.now() });
  }

  /** undefined: the manager is stopping and repeats the action after the restart. */
  async function outcome({ tenantId, slug }: BulkResult): Promise<Pick<BulkResult, 'status' | 'error'> | undefined> {
    try {
      const { actor, parameters } = input;
      const work = () => actions.run[input.action]({ bulkId: operationId, tenantId, parameters, actor });
      await runWhenIdle(work, deps.busyTimeoutMs, signal);
      return { status: 'success', error: null };
    } catch (thrown) {
      if (thrown instanceof AppError && thrown.code === 'shutting_down' && !signal.aborted)
        await aborted(stopping.signal);
      if (stopping.signal.aborted) return undefined;
      // The engine runs the step again when the store is back.
      if (isStoreUnavailable(thrown) && !signal.aborted) throw thrown;
      if (!(thrown instanceof AppError)) {
        // Cancelled while waiting for a busy tenant.
        if (signal.aborted) return { status: 'skipped', error: null };
        logger.error({ bulk: operationId, tenant: slug, message: messageOf(thrown) }, 'bulk action failed');
        const detail = 'Internal error. See the manager’s log.';
        return { status: 'failed', error: { code: 'internal_error', detail } };
      }
      // `not_found` may also name the version.
      const isMissing = thrown.code === 'not_found' && !(await tenants.find(tenantId));
      return {
        status: isMissing || noFailures.has(thrown.code) ? 'skipped' : 'failed',
        error: { code: thrown.code, detail: thrown.message },
      };
    }
  }

  for (const result of results) {
    if (result.status !== 'pending' && result.status !== 'running') continue;
    queue
      .add(() => act(result))
      .catch((error: unknown) => {
        failure ??= error;
        queue.clear();
      });
  }
  if (signal.aborted) onAbort();
  await Promise.race([queue.onIdle(), stopGrace(stopping.signal)]);
  signal.removeEventListener('abort', onAbort);
  if (failure !== undefined && !signal.aborted) throw failure;
}

/** Runs work as soon as no other operation works on the tenant. @throws AppError operation_in_progress */
async function runWhenIdle<T>(work: () => Promise<T>, timeoutMs: number, signal: AbortSignal): Promise<T> {
  let busy: unknown;
  const attempt = async (): Promise<{ value: T } | undefined> => {
    try {
      return { value: await work() };
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'operation_in_progress') throw error;
      busy = error;
      return undefined;
    }
  };
  // The first attempt ignores the signal: the tenant already counts as in progress.
  const done = (await attempt()) ?? (await poll(attempt, { timeoutMs, intervalMs: busyRetryMs, signal }));
  if (!done) throw busy;
  return done.value;
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
}

async function stopGrace(stopping: AbortSignal): Promise<void> {
  await aborted(stopping);
  await sleep(stopGraceMs, undefined, { ref: false });
}
