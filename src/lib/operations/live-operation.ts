import { KeyedLock } from '../concurrency/keyed-lock.ts';
import type { ReplayStream } from '../streams/replay-stream.ts';
import type { OperationRecord } from './operation.ts';

/** An operation that waits or runs in this manager. */
export class LiveOperation {
  readonly record: OperationRecord;
  readonly tail: ReplayStream;
  readonly cancel = new AbortController();
  readonly stop = new AbortController();
  readonly ended = Promise.withResolvers<OperationRecord>();
  readonly writes = new KeyedLock();
  readonly #release: () => void;
  readonly #leftBehind: Promise<unknown>[] = [];

  /** @param release gives the subject back; may be called more than once */
  constructor(record: OperationRecord, tail: ReplayStream, release: () => void) {
    this.record = record;
    this.tail = tail;
    this.#release = release;
    // Nobody need ask for its end.
    this.ended.promise.catch(() => undefined);
  }

  /** Told of work on the subject that is no longer waited for. */
  trackAbandoned(work: Promise<unknown>): void {
    this.#leftBehind.push(work);
  }

  /** Gives the subject back: at once, or when what was left behind on it has ended, as nothing may meet that. */
  release(): void {
    if (this.#leftBehind.length === 0) this.#release();
    else void Promise.allSettled(this.#leftBehind).then(this.#release);
  }
}
