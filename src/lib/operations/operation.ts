import { AppError, ExplainedError, type FoundCause } from '../errors.ts';
import { newId } from '../ids.ts';
import type { StreamMessage } from '../streams/replay-stream.ts';

export const operationStatuses = ['queued', 'running', 'success', 'failed', 'cancelled'] as const;
export type OperationStatus = (typeof operationStatuses)[number];
/** The states in which an operation ends. */
export type Outcome = 'success' | 'failed' | 'cancelled';

export const stepStatuses = ['pending', 'running', 'success', 'failed', 'skipped'] as const;
export type StepStatus = (typeof stepStatuses)[number];

export interface StepRecord {
  name: string;
  status: StepStatus;
  /** ISO 8601, once started. */
  started: string | null;
  /** Whole seconds, once ended. */
  duration: number | null;
  /** Why it was skipped or failed. */
  reason: string | null;
}

/** Why a step or its undo failed. */
export interface OperationFailure {
  step: string;
  message: string;
  /** The cause that `message` names; missing when it is unknown. */
  cause?: FoundCause;
  /** Evidence of it. */
  detail?: string;
}

/** Why an operation failed. */
export interface OperationError extends OperationFailure {
  /** Steps whose undo also failed: their changes remain. Missing: none. */
  notPutBack?: string[];
}

/** The durable journal entry of one operation: all that is needed to resume it after a crash. */
export interface OperationRecord {
  id: string;
  kind: string;
  /** The subject, such as a tenant's id; one operation at a time works on it. */
  subject: string;
  input: unknown;
  /** What the steps intend and did, saved before and after they act. */
  state: unknown;
  status: OperationStatus;
  /** Its phase: running forward, undoing after a failure, or finishing (`settle` is running). */
  phase: 'forward' | 'undo' | 'settle';
  outcome: Outcome | null;
  steps: StepRecord[];
  error: OperationError | null;
  /** Starts without an orderly end: the current one, and those that ended with a crash. */
  attempts: number;
  /** When a user cancelled it. Written only by the journal's `requestCancel`; `save` leaves it unchanged. */
  cancelRequestedAt: Date | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** An operation without what its steps intended and did. */
export type OperationSummary = Pick<
  OperationRecord,
  'id' | 'subject' | 'kind' | 'status' | 'error' | 'createdAt' | 'finishedAt'
>;

/** Where the engine keeps its records; must be durable when the promise resolves. */
export interface OperationJournal {
  insert(record: OperationRecord): Promise<void>;
  save(record: OperationRecord): Promise<void>;
  /** Records that a user cancelled it. */
  requestCancel(id: string, at: Date): Promise<void>;
  /** All that have not ended, in order of submission. */
  unfinished(): Promise<OperationRecord[]>;
}

/** What a step gets. */
export interface StepContext<Input, State extends object> {
  readonly operationId: string;
  readonly subject: string;
  readonly input: Readonly<Input>;
  readonly state: Readonly<State>;
  /** Adds to the state, durably: intentions before acting, results after. Rejects after the step was abandoned. */
  save(patch: Partial<State>): Promise<void>;
  /** Adds a line to the operation's log. */
  log(line: string): void;
  /** Adds a message of the operation's own kind to its stream. */
  publish(message: StreamMessage): void;
  /**
   * Aborted on cancel, step timeout or when the manager stops: end the work, then throw. Check it before each action: a step
   * that outlives the grace period is abandoned, and its undo runs.
   */
  readonly signal: AbortSignal;
}

/** A step that had nothing to do; the operation continues without it. */
export interface PassedOver {
  /** The reason, for users. */
  skipped: string;
}

/** One named part of an operation. Both functions must be idempotent: after a crash they run again from their start. */
export interface Step<Input, State extends object> {
  name: string;
  /** The reason to skip the step, or undefined to run it. */
  skip?(context: StepContext<Input, State>): Promise<string | undefined> | string | undefined;
  /** May return that it was skipped, although it ran: its result is unavailable and not required. */
  run(context: StepContext<Input, State>): Promise<PassedOver | undefined>;
  /** Undoes what `run` changed, however far it got. */
  undo?(context: StepContext<Input, State>): Promise<void>;
}

/** A kind of operation: its steps, in order, and what its end means. */
export interface OperationDefinition<Input, State extends object> {
  kind: string;
  /** Starts at once, in addition to the bounded number: short work that a user waits for. */
  immediate?: boolean;
  steps: readonly Step<Input, State>[];
  /** Parses the input from the journal; throws when it does not fit. */
  parseInput(value: unknown): Input;
  parseState(value: unknown): State;
  /** Publishes the result to other services (a tenant's status); runs before the end is saved, so at least once. */
  settle?(
    context: StepContext<Input, State>,
    end: { outcome: Outcome; error: OperationRecord['error'] },
  ): Promise<void>;
}

/** The messages of an operation's life on its stream. */
export interface OperationMessages {
  progress(record: OperationRecord): StreamMessage;
  /** undefined: streams of this kind have no log lines. */
  log(line: string): StreamMessage | undefined;
  complete(record: OperationRecord): StreamMessage;
}

/** A record for an operation that has not started. */
export function newRecord(
  definition: { kind: string; steps: readonly { name: string }[] },
  {
    id = newId(),
    ...asked
  }: Pick<OperationRecord, 'subject' | 'input' | 'state' | 'createdAt'> & {
    id?: string | undefined;
  },
): OperationRecord {
  return {
    id,
    kind: definition.kind,
    ...asked,
    status: 'queued',
    phase: 'forward',
    outcome: null,
    steps: definition.steps.map(({ name }) => ({
      name,
      status: 'pending',
      started: null,
      duration: null,
      reason: null,
    })),
    error: null,
    attempts: 0,
    cancelRequestedAt: null,
    startedAt: null,
    finishedAt: null,
  };
}

/** Each step of a definition with its record. */
export function stepsWithRecords<Input, State extends object>(
  { steps }: Pick<OperationDefinition<Input, State>, 'steps'>,
  { steps: records }: Pick<OperationRecord, 'steps'>,
): [Step<Input, State>, StepRecord][] {
  return steps.flatMap((step, index) => {
    const record = records[index];
    return record === undefined ? [] : [[step, record] as [Step<Input, State>, StepRecord]];
  });
}

/** A failure's cause and its evidence, as far as they are known. */
export function explanationOf(error: unknown): Pick<OperationFailure, 'cause' | 'detail'> {
  if (error instanceof ExplainedError) return { cause: error.found, detail: error.detail };
  return error instanceof AppError && error.detail !== undefined ? { detail: error.detail } : {};
}

/** An operation's error with the undos that failed after it. */
export const withFailedUndos = (error: OperationError, failures: readonly OperationFailure[]): OperationError => ({
  ...error,
  message: [error.message, ...failures.map(({ step, message }) => `${step} could not be rolled back: ${message}`)].join(
    '; ',
  ),
  notPutBack: failures.map(({ step }) => step),
});

/** The name of the running step, or of the last one started; null before the first. */
export function currentStep(record: OperationRecord): string | null {
  return record.steps.findLast((step) => step.status !== 'pending')?.name ?? null;
}

/** Percentage of the steps that have ended. */
export function progressPercent(record: OperationRecord): number {
  if (record.status === 'success') return 100;
  const ended = record.steps.filter((step) => step.status === 'success' || step.status === 'skipped').length;
  return Math.floor((ended / record.steps.length) * 100);
}

/**
 * Ends the earlier of two open operations on a subject, which never started: the connection to the store broke while it was
 * being registered, so the caller got an error and submitted another.
 */
export function superseded(record: OperationRecord, finishedAt: Date): OperationRecord {
  const error = { step: record.steps[0]?.name ?? record.kind, message: 'Superseded by a later operation' };
  return { ...record, status: 'failed', outcome: 'failed', error, finishedAt };
}

export const isUnfinished = ({ status }: Pick<OperationRecord, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** A record as read from a JSON column, where timestamps are text. */
export function recordFromJson(record: OperationRecord): OperationRecord {
  const date = (value: Date | null): Date | null => (value === null ? null : new Date(value));
  const { createdAt, startedAt, finishedAt } = record;
  return { ...record, createdAt: new Date(createdAt), startedAt: date(startedAt), finishedAt: date(finishedAt) };
}
