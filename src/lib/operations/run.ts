import type { Clock } from '../clock.ts';
import { retryUntilStopped } from '../concurrency/retry.ts';
import { messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';
import type { ReplayStream, StreamMessage } from '../streams/replay-stream.ts';
import { CancelRequested } from './abort-reasons.ts';
import {
  detailOf,
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

/** Work that did not end though it was told to: nobody waits for it any longer, but it may still be under way. */
class AbandonedWorkError extends Error {
  /** Resolves or rejects when it ends after all. */
  readonly work: Promise<unknown>;

  constructor(work: Promise<unknown>, graceMs: number) {
    super(`did not end within ${graceMs / 1000} s of being told to, and is no longer waited for`);
    this.name = 'LeftBehind';
    this.work = work;
  }
}

/**
 * Does work that `signal` tells to end, and waits for its end no longer than a grace after that: what it waits for itself
 * (an engine that is frozen) may never answer.
 * @throws what the work throws; LeftBehind when the grace is over
 */
async function withGracePeriod<T>(work: () => Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const done = work();
  done.catch(() => undefined);
  const patience = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const told = (): void => {
    timer = setTimeout(() => patience.reject(new AbandonedWorkError(done, graceMs)), graceMs);
  };
  if (signal.aborted) told();
  else signal.addEventListener('abort', told, { once: true });
  try {
    return await Promise.race([done, patience.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', told);
  }
}

/** A step's context and how to close it: after that what the step does counts no more, it can neither save nor log. */
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
        if (!open) throw new Error('This step is no longer waited for: what it does counts no more');
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

/** An operation that keeps bringing the manager down must not do so for ever: after this many crashes it is ended as failed. */
const mostAttempts = 3;

interface RunTools {
  tail: ReplayStream;
  /** Aborted with CancelRequested. */
  cancelled: AbortSignal;
  /** Aborted with ManagerStopping. */
  stopping: AbortSignal;
  clock: Clock;
  logger: Logger;
  messages: OperationMessages;
  /** How long one step may take, in ms. */
  stepTimeoutMs: number;
  /** How long a step that was told to end is waited for, in ms. */
  graceMs: number;
  /** Does the work of a step, again while the store is away: each step says what should be. */
  attempt<T>(work: () => Promise<T> | T, signal: AbortSignal, say: (line: string) => void): Promise<T>;
  /** Told of work that is no longer waited for and may still be under way. */
  leftBehind(work: Promise<unknown>): void;
  /** Saves the record, durably; waits for a store that is away. */
  save(): Promise<void>;
  /** Told when the end is saved: whoever reads of it may begin the next operation at once. */
  ended(): void;
}

/**
 * Takes an operation from where its record stands to its end: the steps forward; on failure or cancel their `undo`
 * backwards; then `settle`. Rejects only when the manager stops, with the record left open.
 *
 * A step or an undo that does not end within the grace, after it was told to, counts as failed and is left behind. That is
 * safe: its context is dead, so it can write neither journal nor log; its signal is aborted, at which a step looks before each
 * act, so that no more than the one request it hangs in can still take effect; that one is put right by the undo or, where it
 * comes after the undo, by whoever works on the subject next, as each step and undo says what should be, not what to change;
 * and the subject is given back only when all that was left behind has ended, so that no other operation meets it. The next
 * manager takes up the phase that the record is in, with nothing left behind. `settle` is waited for: without it there is no end.
 */
export async function runOperation<Input, State extends object>(
  record: OperationRecord,
  definition: OperationDefinition<Input, State>,
  tools: RunTools,
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
  const say = (line: string): void => append(messages.log(line));
  const bounded = boundedLog(say);
  const { log } = bounded;
  let state = definition.parseState(record.state);

  try {
    if (record.startedAt !== null) say('Taken up again after the manager was interrupted');
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

  /** Ended in order, to be taken up again: this start is none of those that end with a crash. */
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

  /** Calls a function of a step, which `told` or the end of its time tells to end, with a context that lives as long as it is waited for. */
  async function call<T>(
    step: Step<Input, State>,
    told: AbortSignal,
    work: (context: StepContext<Input, State>) => Promise<T> | T,
  ): Promise<T> {
    const timeout = AbortSignal.timeout(tools.stepTimeoutMs);
    const signal = AbortSignal.any([told, timeout]);
    const output = stepLog(bounded);
    const { context, close } = revocableContext(contextWith(signal, output.log));
    try {
      return await withGracePeriod(() => tools.attempt(() => work(context), signal, say), signal, tools.graceMs);
    } catch (error) {
      const left = error instanceof AbandonedWorkError ? `; it ${error.message}` : '';
      if (error instanceof AbandonedWorkError) {
        tools.leftBehind(error.work);
        tools.logger.error({ operation: record.id, step: step.name }, 'a step was left behind');
        say(`${step.name} ${error.message}; nothing else begins here until it has ended`);
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
        if (record.attempts > mostAttempts) {
          throw new Error(`The manager was interrupted ${record.attempts - 1} times in the middle of this; given up`);
        }
        await runStep(step, entry);
      } catch (error) {
        // A cancel that was asked for before the manager stopped is written down, and undone at the next start.
        const cancelReason: unknown = tools.cancelled.reason;
        if (cancelReason === undefined) stopping.throwIfAborted();
        const reason = cancelReason ?? error;
        const cancelled = reason instanceof CancelRequested;
        const left = error instanceof AbandonedWorkError ? `; ${step.name} ${error.message}` : '';
        const message = cancelled ? `Cancelled${left}` : messageOf(reason);
        if (entry.status === 'running') endStep(entry, 'failed', message);
        say(cancelled ? 'Cancelled; putting back what was changed' : `${step.name} failed: ${message}`);
        const failure = { step: step.name, message, ...detailOf(reason) };
        return { outcome: cancelled ? 'cancelled' : 'failed', error: failure };
      }
    }
    return undefined;
  }

  async function runStep(step: Step<Input, State>, entry: StepRecord): Promise<void> {
    const reason = await call(step, either, (context) => step.skip?.(context));
    if (reason !== undefined) {
      Object.assign(entry, { status: 'skipped', reason });
      say(`${step.name}: skipped, ${reason}`);
      await save();
      return;
    }
    Object.assign(entry, { status: 'running', started: clock.now().toISOString(), reason: null });
    await save();
    say(`${step.name} …`);
    const answer = await call(step, either, (context) => step.run(context));
    either.throwIfAborted();
    if (answer) say(`${step.name}: skipped, ${answer.skipped}`);
    endStep(entry, answer ? 'skipped' : 'success', answer?.skipped ?? null);
    await save();
  }

  function endStep(entry: StepRecord, status: 'success' | 'failed' | 'skipped', reason: string | null): void {
    const began = entry.started === null ? clock.now().getTime() : Date.parse(entry.started);
    Object.assign(entry, { status, reason, duration: Math.round((clock.now().getTime() - began) / 1000) });
  }

  async function goBack(): Promise<void> {
    const begun = stepsWithRecords(definition, record).filter(([, entry]) => entry.started !== null);
    // In the record when all were tried: one that succeeds after a crash of the manager must not stand there as failed.
    const failures: OperationFailure[] = [];
    for (const [step] of begun.reverse()) {
      stopping.throwIfAborted();
      try {
        // What puts things back must not be stopped by the cancel that made it necessary, only by the manager's own end.
        await call(step, stopping, (context) => step.undo?.(context));
      } catch (error) {
        stopping.throwIfAborted();
        const failure = { step: step.name, message: messageOf(error) };
        failures.push(failure);
        say(`${step.name} could not be put back: ${failure.message}`);
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
