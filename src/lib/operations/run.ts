import type { Clock } from '../clock.ts';
import { retryUntilStopped } from '../concurrency/retry.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { ReplayStream, StreamMessage } from '../streams/replay-stream.ts';
import { CancelRequested } from './abort-reasons.ts';
import {
  explanationOf,
  type OperationDefinition,
  type OperationFailure,
  type OperationMessages,
  type OperationRecord,
  type Outcome,
  type Step,
  type StepContext,
  type StepRecord,
  stepsWithRecords,
  withFailedUndos,
} from './operation.ts';
import { boundedLog, stepLog } from './step-log.ts';

/** Work that ignored cancellation and was abandoned; it may still be running. */
class AbandonedWorkError extends Error {
  /** Settles when the work ends after all. */
  readonly work: Promise<unknown>;

  constructor(work: Promise<unknown>, graceMs: number) {
    super(`did not end within ${graceMs / 1000} s of cancellation and was abandoned`);
    this.name = 'AbandonedWorkError';
    this.work = work;
  }
}

/**
 * Runs work and, after `signal` is aborted, waits for its end no longer than a grace period: a request to a frozen engine may
 * never return.
 * @throws what the work throws; AbandonedWorkError after the grace period
 */
async function withGracePeriod<T>(work: () => Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const done = work();
  done.catch(() => undefined);
  const timeout = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const startTimer = (): void => {
    timer = setTimeout(() => timeout.reject(new AbandonedWorkError(done, graceMs)), graceMs);
  };
  if (signal.aborted) startTimer();
  else signal.addEventListener('abort', startTimer, { once: true });
  try {
    return await Promise.race([done, timeout.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', startTimer);
  }
}

/** A step's context that can be revoked: afterwards the step can neither save nor log. */
function revocableContext<Input, State extends object>(
  inner: StepContext<Input, State>,
): { context: StepContext<Input, State>; close(): void } {
  let open = true;
  return {
    context: {
      ...inner,
      get state() {
        return inner.state;
      },
      async save(patch) {
        if (!open) throw new Error('This step was abandoned: it can no longer save');
        await inner.save(patch);
      },
      log(line) {
        if (open) inner.log(line);
      },
      publish(message) {
        if (open) inner.publish(message);
      },
    },
    close() {
      open = false;
    },
  };
}

/** An operation that keeps crashing the manager must not do so for ever: after this many crashes it fails. */
const maxAttempts = 3;

/**
 * Takes an operation from its recorded phase to its end: the steps forward; after a failure or a cancel their `undo` backwards;
 * then `settle`. Rejects only when the manager stops, with the record left open.
 * A step or undo that outlives the grace period counts as failed and is abandoned. That is safe: its context is revoked, so it
 * can write neither journal nor log; its signal is aborted, and a step checks that before each action, so at most the one
 * request it hangs in can still take effect. The undo repairs that, or the next work on the subject does, as steps state the
 * desired result, not a change. The subject stays locked until all abandoned work has ended. The next manager resumes the
 * recorded phase. `settle` has no timeout: without it there is no end.
 */
export async function runOperation<Input, State extends object>(
  record: OperationRecord,
  definition: OperationDefinition<Input, State>,
  tools: {
    tail: ReplayStream;
    /** Aborted with CancelRequested. */
    cancelled: AbortSignal;
    /** Aborted with ManagerStopping. */
    stopping: AbortSignal;
    clock: Clock;
    logger: Logger;
    messages: OperationMessages;
    /** Timeout of one step, in ms. */
    stepTimeoutMs: number;
    /** Grace period of a cancelled step, in ms. */
    graceMs: number;
    /** Runs a step's work and retries it while the store does not answer: each step states the desired result. */
    attempt<T>(work: () => Promise<T> | T, signal: AbortSignal, writeLine: (line: string) => void): Promise<T>;
    /** Called with abandoned work that may still be running. */
    onAbandoned(work: Promise<unknown>): void;
    /** Saves the record, durably; retries while the store does not answer. */
    save(): Promise<void>;
    /** Called when the end is saved: a client that reads of it may start the next operation at once. */
    ended(): void;
  },
): Promise<void> {
  const { tail, messages, clock, stopping } = tools;
  stopping.throwIfAborted();
  const either = AbortSignal.any([tools.cancelled, stopping]);
  const publish = (): void => void tail.append(messages.progress(record));
  const save = async (): Promise<void> => {
    await tools.save();
    publish();
  };
  const append = (message: StreamMessage | undefined): void => void (message && tail.append(message));
  const writeLine = (line: string): void => append(messages.log(line));
  const bounded = boundedLog(writeLine);
  const { log } = bounded;
  let state = definition.parseState(record.state);

  try {
    if (record.startedAt !== null) writeLine('Resumed after a manager restart');
    record.status = 'running';
    record.attempts += 1;
    record.startedAt ??= clock.now();
    await save();
    if (record.phase === 'forward') {
      const failure = await goForward();
      record.phase = failure ? 'undo' : 'settle';
      record.outcome = failure ? failure.outcome : 'success';
      record.error = failure?.error ?? null;
      await save();
    }
    if (record.phase === 'undo') {
      await goBack();
      record.phase = 'settle';
      await save();
    }
    await settle();
  } catch (error) {
    if (stopping.aborted) await leaveOpen();
    throw error;
  }

  /** Stopped in an orderly way: this start does not count as a crash. */
  async function leaveOpen(): Promise<void> {
    Object.assign(record, { status: 'running', finishedAt: null, attempts: record.attempts - 1 });
    await tools.save().catch(() => undefined);
  }

  function contextWith(signal: AbortSignal, write = log): StepContext<Input, State> {
    return {
      operationId: record.id,
      subject: record.subject,
      input: definition.parseInput(record.input),
      get state() {
        return state;
      },
      async save(patch) {
        state = { ...state, ...patch };
        record.state = state;
        await tools.save();
      },
      log: write,
      publish: append,
      signal,
    };
  }

  /** Calls a function of a step with a revocable context; `cancelled` or the step's timeout cancels it. */
  async function call<T>(
    step: Step<Input, State>,
    cancelled: AbortSignal,
    work: (context: StepContext<Input, State>) => Promise<T> | T,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(tools.stepTimeoutMs);
    const signal = AbortSignal.any([cancelled, timeout]);
    const output = stepLog(bounded);
    const { context, close } = revocableContext(contextWith(signal, output.log));
    try {
      return await withGracePeriod(() => tools.attempt(() => work(context), signal, writeLine), signal, tools.graceMs);
    } catch (error) {
      const left = error instanceof AbandonedWorkError ? `; it ${error.message}` : '';
      if (error instanceof AbandonedWorkError) {
        tools.onAbandoned(error.work);
        tools.logger.error({ operation: record.id, step: step.name }, 'a step was abandoned');
        writeLine(`${step.name} ${error.message}; nothing else starts here until it has ended`);
      }
      if (!timeout.aborted) throw error;
      throw new Error(`Not finished within ${tools.stepTimeoutMs / 1000} s${left}`);
    } finally {
      close();
      output.end();
    }
  }

  async function goForward(): Promise<{ outcome: Outcome; error: OperationRecord['error'] } | undefined> {
    for (const [step, entry] of stepsWithRecords(definition, record)) {
      if (entry.status === 'success' || entry.status === 'skipped') continue;
      try {
        either.throwIfAborted();
        if (record.attempts > maxAttempts) {
          throw new Error(`The manager crashed ${record.attempts - 1} times during this operation; giving up`);
        }
        await runStep(step, entry);
      } catch (error) {
        // A cancel requested before the manager stopped is in the record, and undone at the next start.
        const cancelReason: unknown = tools.cancelled.reason;
        if (cancelReason === undefined) stopping.throwIfAborted();
        const reason = cancelReason ?? error;
        const cancelled = reason instanceof CancelRequested;
        const left = error instanceof AbandonedWorkError ? `; ${step.name} ${error.message}` : '';
        const message = cancelled ? `Cancelled${left}` : messageOf(reason);
        if (entry.status === 'running') endStep(entry, 'failed', message);
        writeLine(cancelled ? 'Cancelled; rolling back the changes' : `${step.name} failed: ${message}`);
        const failure = { step: step.name, message, ...explanationOf(reason) };
        return { outcome: cancelled ? 'cancelled' : 'failed', error: failure };
      }
    }
    return undefined;
  }

  async function runStep(step: Step<Input, State>, entry: StepRecord): Promise<void> {
    const reason = await call(step, either, (context) => step.skip?.(context));
    if (reason !== undefined) {
      Object.assign(entry, { status: 'skipped', reason });
      writeLine(`${step.name}: skipped, ${reason}`);
      await save();
      return;
    }
    Object.assign(entry, { status: 'running', started: clock.now().toISOString(), reason: null });
    await save();
    writeLine(`${step.name} …`);
    const answer = await call(step, either, (context) => step.run(context));
    either.throwIfAborted();
    if (answer) writeLine(`${step.name}: skipped, ${answer.skipped}`);
    endStep(entry, answer ? 'skipped' : 'success', answer?.skipped ?? null);
    await save();
  }

  function endStep(entry: StepRecord, status: 'success' | 'failed' | 'skipped', reason: string | null): void {
    const began = entry.started === null ? clock.now().getTime() : Date.parse(entry.started);
    Object.assign(entry, { status, reason, duration: Math.round((clock.now().getTime() - began) / 1000) });
  }

  async function goBack(): Promise<void> {
    const started = stepsWithRecords(definition, record).filter(([, entry]) => entry.started !== null);
    // Saved when all were tried: an undo that succeeds after a crash of the manager must not be recorded as failed.
    const failures: OperationFailure[] = [];
    for (const [step] of started.reverse()) {
      stopping.throwIfAborted();
      try {
        // The cancel that made the undo necessary must not stop it; only the stopping manager does.
        await call(step, stopping, (context) => step.undo?.(context));
      } catch (error) {
        stopping.throwIfAborted();
        const failure = { step: step.name, message: messageOf(error) };
        failures.push(failure);
        writeLine(`${step.name} could not be rolled back: ${failure.message}`);
        tools.logger.error({ operation: record.id, ...failure }, 'undo failed');
      }
    }
    if (record.error && failures.length > 0) record.error = withFailedUndos(record.error, failures);
  }

  async function settle(): Promise<void> {
    const outcome = record.outcome ?? 'failed';
    const end = { outcome, error: record.error };
    const context = contextWith(stopping);
    await retryUntilStopped(async () => definition.settle?.(context, end), {
      operation: record.id,
      logger: tools.logger,
      stopping,
    });
    record.status = outcome;
    record.finishedAt = clock.now();
    await tools.save();
    tools.ended();
    tail.append(messages.progress(record));
    tail.append(messages.complete(record));
  }
}
