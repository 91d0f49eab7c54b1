import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { KeyedLock } from '../concurrency/keyed-lock.ts';
import { backoff, retry, retryUntilStopped } from '../concurrency/retry.ts';
import { AppError, messageOf } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { MessageFile } from '../streams/message-file.ts';
import { ReplayStream } from '../streams/replay-stream.ts';
import { CancelRequested, ManagerStopping } from './abort-reasons.ts';
import {
  isUnfinished,
  newRecord,
  type OperationDefinition,
  type OperationJournal,
  type OperationMessages,
  type OperationRecord,
  superseded,
} from './operation.ts';
import { runOperation } from './run.ts';
import { SubjectLocks } from './subject-locks.ts';

/** Options of an operation engine. */
export interface EngineOptions {
  journal: OperationJournal;
  messages: OperationMessages;
  /** Holds the operations' streams, one file each. */
  directory: string;
  clock: Clock;
  logger: Logger;
  /** How many operations may run at a time; read whenever one could start. */
  concurrency(): Promise<number>;
  /** How long one step of an operation may take, in ms. */
  stepTimeoutMs(): Promise<number>;
  /** Grace period of a cancelled step, in ms. */
  graceMs?: number;
  /** Whether a step failed only because the store does not answer; the engine then retries it. Default: never. */
  isTransient?(error: unknown): boolean;
  /** Locks shared by engines that work on the same subjects; default: its own. */
  locks?: SubjectLocks;
  /** Called after each saved change of a record. */
  onChange?(record: OperationRecord): void;
}

/** Where the stream of an operation is kept. */
function streamFile(directory: string, id: string): MessageFile {
  return new MessageFile(join(directory, `${id}.ndjson`));
}

/** The stream of an operation that has ended: replayed from its file, then its end. */
async function endedStream(directory: string, id: string): Promise<ReplayStream> {
  const file = streamFile(directory, id);
  const tail = new ReplayStream({ file, lastSeq: await file.recover(), ring: 1 });
  tail.close();
  return tail;
}

/** An operation that is queued or running in this manager. */
class LiveOperation {
  readonly record: OperationRecord;
  readonly tail: ReplayStream;
  readonly cancel = new AbortController();
  readonly stop = new AbortController();
  readonly ended = Promise.withResolvers<OperationRecord>();
  readonly writes = new KeyedLock();
  readonly #release: () => void;
  readonly #onAbandoned: Promise<unknown>[] = [];

  /** @param release unlocks the subject; may be called more than once */
  constructor(record: OperationRecord, tail: ReplayStream, release: () => void) {
    this.record = record;
    this.tail = tail;
    this.#release = release;
    // Its result is not needed.
    this.ended.promise.catch(() => undefined);
  }

  /** Keeps the subject locked until this abandoned work has ended. */
  trackAbandoned(work: Promise<unknown>): void {
    this.#onAbandoned.push(work);
  }

  /** Unlocks the subject: at once, or when all abandoned work on it has ended. */
  release(): void {
    if (this.#onAbandoned.length === 0) this.#release();
    else void Promise.allSettled(this.#onAbandoned).then(this.#release);
  }
}

const longestEndMs = 2_000;
const longestBackgroundMs = 30_000;

/** Shorter than the time a stopping manager has in all. */
const usualGraceMs = 20_000;

/**
 * Runs long work: one operation at a time per subject, a bounded number overall in order of submission, every state change
 * journalled before it counts; `recover` resumes what a stopped manager left open.
 */
export class OperationEngine {
  readonly #options: EngineOptions;
  // biome-ignore lint/suspicious/noExplicitAny: definitions of all input and state types stand side by side; each parses its own
  readonly #definitions = new Map<string, OperationDefinition<any, any>>();
  readonly #locks: SubjectLocks;
  readonly #live = new Map<string, LiveOperation>();
  #queue: LiveOperation[] = [];
  #running = 0;
  #stopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#locks = options.locks ?? new SubjectLocks();
  }

  register<Input, State extends object>(definition: OperationDefinition<Input, State>): void {
    this.#definitions.set(definition.kind, definition);
  }

  /**
   * Queues an operation, optionally under a given id; it is durable when this resolves.
   * @throws AppError operation_in_progress when another one works on the subject
   */
  async submit(kind: string, subject: string, input: unknown, state = {}, id?: string): Promise<OperationRecord> {
    const definition = this.#definition(kind);
    if (this.#stopping) throw new AppError('shutting_down', 'The manager is stopping; try again in a moment');
    const record = newRecord(definition, { id, subject, input, state, createdAt: this.#options.clock.now() });
    await this.#ending(subject);
    const release = this.#locks.take(subject, kind, { operationId: record.id });
    try {
      await this.#options.journal.insert(record);
    } catch (error) {
      release();
      throw error;
    }
    this.#enqueue(record, 0, release);
    this.#options.onChange?.(record);
    void this.#pump();
    return record;
  }

  /**
   * Runs short work that conflicts with operations on the same subject (start, stop), without a journal.
   * @throws AppError operation_in_progress
   */
  async exclusive<T>(subject: string, name: string, work: () => Promise<T>): Promise<T> {
    await this.#ending(subject);
    const release = this.#locks.take(subject, name);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** @see SubjectLocks.inBackground */
  inBackground(subject: string, name: string, work: () => Promise<void>): Promise<void> {
    return this.#locks.inBackground(subject, name, this.#ending(subject), work);
  }

  /** Waits for work in the background, and for operations whose result users can see and whose end is still to be saved. */
  async #ending(subject: string): Promise<void> {
    const background = this.#locks.backgroundOf(subject);
    if (background) await endOf([background], longestBackgroundMs);
    const ending = [...this.#live.values()].filter(
      ({ record }) => record.subject === subject && record.phase === 'settle',
    );
    if (ending.length > 0)
      await endOf(
        ending.map(({ ended }) => ended.promise),
        longestEndMs,
      );
  }

  /** Whether work on a subject is running or queued. */
  isBusy(subject: string): boolean {
    return this.#locks.has(subject);
  }

  /** @throws AppError operation_in_progress, naming the running work */
  assertIdle(subject: string): void {
    this.#locks.assertIdle(subject);
  }

  /**
   * Cancels a queued or running operation and undoes its changes. The request is durable when this resolves.
   * @returns false when it has ended or does not exist
   */
  async cancel(id: string): Promise<boolean> {
    const live = this.#live.get(id);
    // Its end may be saved a moment before it leaves `#live`.
    if (!live || !isUnfinished(live.record)) return false;
    const at = this.#options.clock.now();
    await this.#options.journal.requestCancel(id, at);
    if (!isUnfinished(live.record)) return false;
    live.record.cancelRequestedAt = at;
    this.#cancelNow(live);
    return true;
  }

  /** Numbers of queued and running operations; immediate ones count as running. */
  counts(): { queued: number; running: number } {
    return { queued: this.#queue.length, running: this.#live.size - this.#queue.length };
  }

  /** Resolves with the record when the operation ends; undefined when none of that id is open. */
  ended(id: string): Promise<OperationRecord> | undefined {
    return this.#live.get(id)?.ended.promise;
  }

  /** The stream of an operation, live or ended; the caller knows that the id exists. */
  async stream(id: string): Promise<ReplayStream> {
    const live = this.#live.get(id);
    if (live) return live.tail;
    return endedStream(this.#options.directory, id);
  }

  /** Resumes what an earlier manager left open. Call once, after all kinds are registered. */
  async recover(): Promise<void> {
    const open = new Map<string, OperationRecord>();
    for (const record of await this.#options.journal.unfinished()) {
      const earlier = open.get(record.subject);
      if (earlier) await this.#options.journal.save(superseded(earlier, this.#options.clock.now()));
      open.set(record.subject, record);
    }
    for (const record of open.values()) {
      const release = this.#locks.take(record.subject, record.kind, { operationId: record.id });
      const live = this.#enqueue(record, await streamFile(this.#options.directory, record.id).recover(), release);
      if (record.cancelRequestedAt) this.#cancelNow(live);
    }
    void this.#pump();
  }

  /** Stops all work where it is, for the next manager to resume. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const waiting = new Set(this.#queue);
    this.#queue = [];
    for (const live of waiting) live.ended.reject(new ManagerStopping());
    const started = [...this.#live.values()].filter((live) => !waiting.has(live));
    for (const live of started) live.stop.abort(new ManagerStopping());
    await Promise.allSettled(started.map((live) => live.ended.promise));
  }

  #isImmediate(record: OperationRecord): boolean {
    return this.#definition(record.kind).immediate ?? false;
  }

  #definition(kind: string) {
    const definition = this.#definitions.get(kind);
    if (!definition) throw new Error(`No operation of kind ${kind}`);
    return definition;
  }

  #enqueue(record: OperationRecord, lastSeq: number, release: () => void): LiveOperation {
    const tail = new ReplayStream({
      file: streamFile(this.#options.directory, record.id),
      lastSeq,
      onWriteError: (message) =>
        this.#options.logger.error({ operation: record.id, message }, 'operation log not written'),
    });
    const live = new LiveOperation(record, tail, release);
    this.#live.set(record.id, live);
    this.#queue.push(live);
    return live;
  }

  #cancelNow(live: LiveOperation): void {
    live.cancel.abort(new CancelRequested());
    // A queued one ends without waiting for its turn.
    if (!this.#queue.includes(live)) return;
    this.#queue = this.#queue.filter((other) => other !== live);
    void this.#run(live);
  }

  /** Starts queued operations, oldest first, while there is capacity. */
  async #pump(): Promise<void> {
    for (const live of this.#queue.filter(({ record }) => this.#isImmediate(record))) {
      this.#queue = this.#queue.filter((other) => other !== live);
      void this.#run(live);
    }
    const room = await this.#options.concurrency().catch(() => 1);
    while (!this.#stopping && this.#running < room) {
      const live = this.#queue.shift();
      if (!live) return;
      void this.#run(live);
    }
  }

  /** Retries a step's work every second while only the store does not answer, until `signal` is aborted. */
  #retryStep<T>(work: () => Promise<T> | T, signal: AbortSignal, log: (line: string) => void): Promise<T> {
    let reported = false;
    return retry(work, {
      delaysMs: backoff(1_000, 1_000),
      signal,
      isTransient: (error) => this.#options.isTransient?.(error) ?? false,
      onFailure: (error) => {
        if (!reported) log(`${messageOf(error)}. Retrying until it works or the step times out`);
        reported = true;
      },
    });
  }

  async #run(live: LiveOperation): Promise<void> {
    const { record, tail } = live;
    const { journal, clock, logger, messages, onChange } = this.#options;
    const retryOptions = { operation: record.id, logger, stopping: live.stop.signal };
    const places = this.#isImmediate(record) ? 0 : 1;
    this.#running += places;
    let leftOpen: unknown;
    try {
      await runOperation(record, this.#definition(record.kind), {
        tail,
        cancelled: live.cancel.signal,
        stopping: live.stop.signal,
        clock,
        logger,
        messages,
        stepTimeoutMs: await retryUntilStopped(() => this.#options.stepTimeoutMs(), retryOptions),
        graceMs: this.#options.graceMs ?? usualGraceMs,
        attempt: (work, signal, log) => this.#retryStep(work, signal, log),
        onAbandoned: (work) => live.trackAbandoned(work),
        ended: () => live.release(),
        save: async () => {
          // One at a time: an older state must not arrive after a newer one.
          await live.writes.run(record.id, () => retryUntilStopped(() => journal.save(record), retryOptions));
          onChange?.(record);
        },
      });
    } catch (error) {
      // The manager stops, or this version can't read the record: it stays open and is resumed at the next start.
      if (!live.stop.signal.aborted) {
        logger.error({ operation: record.id, message: messageOf(error) }, 'operation left open');
      }
      leftOpen = error;
    }
    tail.close();
    await tail.flushed();
    this.#running -= places;
    this.#live.delete(record.id);
    live.release();
    if (leftOpen === undefined) live.ended.resolve(record);
    else live.ended.reject(leftOpen);
    void this.#pump();
  }
}

async function endOf(work: readonly Promise<unknown>[], timeoutMs: number): Promise<void> {
  await Promise.race([Promise.allSettled(work), sleep(timeoutMs, undefined, { ref: false })]);
}
