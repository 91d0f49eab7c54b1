import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import type { OperationJournal, OperationMessages, OperationRecord } from './operation.ts';
import type { SubjectLocks } from './subject-locks.ts';

/** What an engine works with. */
export interface EngineOptions {
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
  /** How long a step that was told to end is waited for, in ms. */
  graceMs?: number;
  /** Whether a step failed only because the store does not answer; it is run again then. Never, unless said. */
  isPassing?(error: unknown): boolean;
  /** Who works on which subject, where several engines work on the same; its own unless said. */
  claims?: SubjectLocks;
  /** Told after each saved change of a record. */
  onChange?(record: OperationRecord): void;
}
