import type { Clock } from '../clock.ts';
import { AppError, messageOf, notFound } from '../errors.ts';
import { newId } from '../ids.ts';
import type { Logger } from '../logger.ts';
import { Tail } from '../streams/tail.ts';
import { Claims } from './claims.ts';
import type { OperationDefinition, OperationJournal, OperationMessages, OperationRecord } from './operation.ts';
import { patientSave } from './patient-save.ts';
import { CancelRequested, ManagerStopping, runOperation } from './run.ts';
import { endedStream, streamFile } from './streams.ts';

interface EngineOptions {
  journal: OperationJournal;
  messages: OperationMessages;
  /** Where the operations' streams are kept, one file each. */
  directory: string;
  clock: Clock;
  logger: Logger;
  /** How many operations may run at a time, asked anew whenever one could start. */
  concurrency(): Promise<number>;
  /** How long one step of an operation may take, in ms. */
  stepTimeoutMs(): Promise<number>;
  /** Told after each saved change of a record. */
  onChange?(record: OperationRecord): void;
}

interface LiveOperation {
  record: OperationRecord;
  tail: Tail;
  /** Gives the subject back. */
  release(): void;
  abort: AbortController;
  ended: PromiseWithResolvers<OperationRecord>;
}

/** An operation that keeps bringing the manager down must not do so for ever: after this many starts it is ended as failed. */
const mostAttempts = 3;

/**
 * Runs long work: one operation at a time on a subject, a bounded number over all in the order asked for, every state
 * change in the journal before it counts, and what a stopped manager left open taken up again by `recover`.
 */
export class OperationEngine {
  readonly #options: EngineOptions;
  // biome-ignore lint/suspicious/noExplicitAny: definitions of all input and state types stand side by side; each parses its own
  readonly #definitions = new Map<string, OperationDefinition<any, any>>();
  readonly #claims = new Claims();
  readonly #live = new Map<string, LiveOperation>();
  #queue: LiveOperation[] = [];
  #running = 0;
  #stopping = false;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  register<Input, State extends object>(definition: OperationDefinition<Input, State>): void {
    this.#definitions.set(definition.kind, definition);
  }

  /**
   * Puts an operation into the queue; it is durable when this resolves.
   * @throws AppError operation_in_progress when another one works on the subject
   */
  async submit(kind: string, subject: string, input: unknown, state: object = {}): Promise<OperationRecord> {
    const definition = this.#definition(kind);
    if (this.#stopping) throw new AppError('shutting_down', 'The manager is stopping; try again in a moment');
    const record: OperationRecord = {
      id: newId(),
      kind,
      subject,
      input,
      state,
      status: 'queued',
      phase: 'forward',
      outcome: null,
      steps: definition.steps.map((step) => ({
        name: step.name,
        status: 'pending',
        started: null,
        duration: null,
        reason: null,
      })),
      error: null,
      attempts: 0,
      createdAt: this.#options.clock.now(),
      startedAt: null,
      finishedAt: null,
    };
    const release = this.#claims.take(subject, kind, record.id);
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
   * Short work that must not meet an operation on the same subject (start, stop), without a journal.
   * @throws AppError operation_in_progress
   */
  async exclusive<T>(subject: string, name: string, work: () => Promise<T>): Promise<T> {
    const release = this.#claims.take(subject, name);
    try {
      return await work();
    } finally {
      release();
    }
  }

  /** Whether something works on a subject, or waits to. */
  isBusy(subject: string): boolean {
    return this.#claims.has(subject);
  }

  /** @throws AppError operation_in_progress, naming what is under way */
  assertIdle(subject: string): void {
    this.#claims.assertIdle(subject);
  }

  /**
   * Asks a queued or running operation to end; what it changed is undone.
   * @throws AppError not_found where it has ended or never was
   */
  cancel(id: string): void {
    const live = this.#live.get(id);
    if (!live) throw notFound('operation in progress', id);
    live.abort.abort(new CancelRequested());
    // A queued one needs no place in the queue to end.
    if (this.#queue.includes(live)) {
      this.#queue = this.#queue.filter((other) => other !== live);
      void this.#run(live);
    }
  }

  /** How many wait and run. */
  counts(): { queued: number; running: number } {
    return { queued: this.#queue.length, running: this.#running };
  }

  /** Resolves with the record when the operation ends; undefined where none of that id is under way. */
  ended(id: string): Promise<OperationRecord> | undefined {
    return this.#live.get(id)?.ended.promise;
  }

  /** The stream of an operation, live or long ended; the caller knows that the id exists. */
  async stream(id: string): Promise<Tail> {
    const live = this.#live.get(id);
    if (live) return live.tail;
    return endedStream(this.#options.directory, id);
  }

  /** Takes up what an earlier manager left open. Call once, when all kinds are registered. */
  async recover(): Promise<void> {
    for (const record of await this.#options.journal.unfinished()) {
      const release = this.#claims.take(record.subject, record.kind, record.id);
      this.#enqueue(record, await streamFile(this.#options.directory, record.id).recover(), release);
    }
    void this.#pump();
  }

  /** Ends all work where it stands, to be resumed by the next manager. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#queue = [];
    const running = [...this.#live.values()].filter((live) => live.record.status === 'running');
    for (const live of running) live.abort.abort(new ManagerStopping());
    await Promise.allSettled(running.map((live) => live.ended.promise));
  }

  #definition(kind: string) {
    const definition = this.#definitions.get(kind);
    if (!definition) throw new Error(`No operation of kind ${kind}`);
    return definition;
  }

  #enqueue(record: OperationRecord, lastSeq: number, release: () => void): void {
    const tail = new Tail({
      file: streamFile(this.#options.directory, record.id),
      lastSeq,
      onWriteError: (message) =>
        this.#options.logger.error({ operation: record.id, message }, 'operation log not written'),
    });
    const live = {
      record,
      tail,
      release,
      abort: new AbortController(),
      ended: Promise.withResolvers<OperationRecord>(),
    };
    live.ended.promise.catch(() => undefined);
    this.#live.set(record.id, live);
    this.#queue.push(live);
  }

  /** Starts queued operations, oldest first, while there is room. */
  async #pump(): Promise<void> {
    const room = await this.#options.concurrency().catch(() => 1);
    while (!this.#stopping && this.#running < room) {
      const live = this.#queue.shift();
      if (!live) return;
      void this.#run(live);
    }
  }

  async #run(live: LiveOperation): Promise<void> {
    const { record, tail } = live;
    this.#running += 1;
    let leftOpen: unknown;
    try {
      await runOperation(record, this.#definition(record.kind), {
        tail,
        signal: live.abort.signal,
        clock: this.#options.clock,
        logger: this.#options.logger,
        messages: this.#options.messages,
        mostAttempts,
        stepTimeoutMs: await this.#options.stepTimeoutMs(),
        ended: live.release,
        save: async () => {
          await patientSave(this.#options.journal, record, {
            logger: this.#options.logger,
            stopping: () => this.#stopping,
          });
          this.#options.onChange?.(record);
        },
      });
    } catch (error) {
      // The journal itself failed, or the manager stops: the record stays open and is taken up at the next start.
      if (!(error instanceof ManagerStopping)) {
        this.#options.logger.error({ operation: record.id, message: messageOf(error) }, 'operation left open');
      }
      leftOpen = error;
    }
    tail.close();
    await tail.flushed();
    this.#running -= 1;
    this.#live.delete(record.id);
    live.release();
    if (leftOpen === undefined) live.ended.resolve(record);
    else live.ended.reject(leftOpen);
    void this.#pump();
  }
}
