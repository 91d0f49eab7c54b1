import type { ErrorCode, Issue } from '../errors.ts';

/** What a task's thread tells the manager. */
export type FromWorker<Message, Result> =
  | { kind: 'message'; message: Message }
  | { kind: 'result'; result: Result }
  | { kind: 'failed'; code: ErrorCode; message: string; issues: Issue[] | undefined };

/** What the manager tells a task's thread: one message was taken, the next may come. */
export interface ToWorker {
  kind: 'taken';
}
