import { AppError, ExplainedError } from '../errors.ts';
import { newId } from '../ids.ts';
import type { StreamMessage } from '../streams/replay-stream.ts';

export const operationStatuses = ['queued', 'running', 'success', 'failed', 'cancelled'] as const;
export type OperationStatus = (typeof operationStatuses)[number];
/** How an operation can end. */
export type Outcome = 'success' | 'failed' | 'cancelled';

export const stepStatuses = ['pending', 'running', 'success', 'failed', 'skipped'] as const;
export type StepStatus = (typeof stepStatuses)[number];

export interface StepRecord {
  name: string;
  status: StepStatus;
  /** ISO 8601, once begun. */
  started: string | null;
  /** Whole seconds, once ended. */
  duration: number | null;
  /** Why it was skipped or failed. */
  reason: string | null;
}

/** What a step, or its undo, failed of. */
export interface OperationFailure {
  step: string;
  message: string;
  /** What was seen of the cause that `message` names; missing where none was found. */
  detail?: string;
}

/** Why an operation failed. */
export interface OperationError extends OperationFailure {
  /** Steps of which the undo failed, too, so that what they changed is still there. Missing: none. */
  notPutBack?: string[];
}

/** The durable journal entry of one operation: everything needed to take it up again after a crash. */
export interface OperationRecord {
  id: string;
  kind: string;
  /** What the operation works on, one operation at a time: a tenant's id. */
  subject: string;
  input: unknown;
  /** What the steps intend and did, saved before and after they act. */
  state: unknown;
  status: OperationStatus;
  /** Where it stands: going forward, undoing after a failure, or ended in all but name (`settle` under way). */
  phase: 'forward' | 'undo' | 'settle';
  outcome: Outcome | null;
  steps: StepRecord[];
  error: OperationError | null;
  /** Its starts that no manager brought to an end in order: the present one, and those that ended with a crash. */
  attempts: number;
  /** When a user asked to end it. Written by the journal's `requestCancel` alone; `save` leaves it as it is. */
  cancelRequestedAt: Date | null;
  createdAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
}

/** Where the engine keeps its records; must be durable when the promise resolves. */
export interface OperationJournal {
  insert(record: OperationRecord): Promise<void>;
  save(record: OperationRecord): Promise<void>;
  /** Notes that a user asked to end it. */
  requestCancel(id: string, at: Date): Promise<void>;
  /** All that have not ended, in the order they were asked for. */
  unfinished(): Promise<OperationRecord[]>;
}

/** What a step works with. */
export interface StepContext<Input, State extends object> {
  readonly operationId: string;
  readonly subject: string;
  readonly input: Readonly<Input>;
  readonly state: Readonly<State>;
  /** Adds to the state, durably: intentions before acting, results after. Rejects when the step is no longer waited for. */
  save(patch: Partial<State>): Promise<void>;
  /** A line of the operation's log. */
  log(line: string): void;
  /** Adds a message of the operation's own kind to its stream. */
  publish(message: StreamMessage): void;
  /**
   * Aborted when the operation is cancelled, the step's time is up or the manager stops: end the work, then throw. Look at it
   * again before each act: a step that does not end within the grace is left behind, and its undo runs.
   */
  readonly signal: AbortSignal;
}

/** A step that found nothing it could do; the operation goes on without it. */
export interface PassedOver {
  /** Why, for people. */
  skipped: string;
}

/** One named part of an operation. Both functions must be idempotent: after a crash they are run again from their start. */
export interface Step<Input, State extends object> {
  name: string;
  /** The reason to pass the step over, or undefined to run it. */
  skip?(context: StepContext<Input, State>): Promise<string | undefined> | string | undefined;
  /** May end as passed over, though begun: what it was to bring can't be had, and the rest does without. */
  run(context: StepContext<Input, State>): Promise<PassedOver | undefined>;
  /** Puts back what `run` changed, wherever it had got to. */
  undo?(context: StepContext<Input, State>): Promise<void>;
}

/** A kind of operation: its steps, in order, and what its end means. */
export interface OperationDefinition<Input, State extends object> {
  kind: string;
  /** Begun at once, beside the bounded number: short work that somebody waits for. */
  immediate?: boolean;
  steps: readonly Step<Input, State>[];
  /** Reads the input back from the journal; throws where it does not fit. */
  parseInput(value: unknown): Input;
  parseState(value: unknown): State;
  /** Makes the end known to the rest of the house (a tenant's status); run before the end is saved, so at least once. */
  settle?(
    context: StepContext<Input, State>,
    end: { outcome: Outcome; error: OperationRecord['error'] },
  ): Promise<void>;
}

/** How an operation's life is told on its stream. */
export interface OperationMessages {
  progress(record: OperationRecord): StreamMessage;
  /** undefined: streams of this kind hold no log lines. */
  log(line: string): StreamMessage | undefined;
  complete(record: OperationRecord): StreamMessage;
}

/** An operation that nobody has begun. */
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

/** What was seen of a failure whose cause was found. */
export function detailOf(error: unknown): { detail?: string } {
  const detail = error instanceof ExplainedError || error instanceof AppError ? error.detail : undefined;
  return detail === undefined ? {} : { detail };
}

/** An operation's error with the undos that failed after it. */
export const withFailedUndos = (error: OperationError, failures: readonly OperationFailure[]): OperationError => ({
  ...error,
  message: [error.message, ...failures.map(({ step, message }) => `${step} could not be put back: ${message}`)].join(
    '; ',
  ),
  notPutBack: failures.map(({ step }) => step),
});

/** The name of the step under way, or of the last one begun; null before the first. */
export function currentStep(record: OperationRecord): string | null {
  return record.steps.findLast((step) => step.status !== 'pending')?.name ?? null;
}

/** How much of the steps has ended, 0 to 100. */
export function progressPercent(record: OperationRecord): number {
  if (record.status === 'success') return 100;
  const ended = record.steps.filter((step) => step.status === 'success' || step.status === 'skipped').length;
  return Math.floor((ended / record.steps.length) * 100);
}

/**
 * The end of the earlier of two open ones on a subject: it never began. Its registration was answered with an error, as the
 * connection to the store broke just when it was written.
 */
export function superseded(record: OperationRecord, finishedAt: Date): OperationRecord {
  const error = { step: record.steps[0]?.name ?? record.kind, message: 'Given up: a later one was asked for' };
  return { ...record, status: 'failed', outcome: 'failed', error, finishedAt };
}

export const isUnfinished = ({ status }: Pick<OperationRecord, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** A record as it comes back from a JSON column, where instants are text. */
export function recordFromJson(record: OperationRecord): OperationRecord {
  const date = (value: Date | null): Date | null => (value === null ? null : new Date(value));
  const { createdAt, startedAt, finishedAt } = record;
  return { ...record, createdAt: new Date(createdAt), startedAt: date(startedAt), finishedAt: date(finishedAt) };
}
