import type { HealthReport } from '../schema.ts';

interface RecorderOptions {
  /** Writes the reports, one for each tenant, in one statement. */
  write(reports: readonly HealthReport[]): Promise<void>;
  /** Called when a background write fails. */
  onError(error: unknown): void;
}

/** Reports are written when this many are queued or the oldest has waited this long. */
const maxQueued = 100;
const maxDelayMs = 500;

/**
 * Writes reports to the store in batches: single writes would take longer than the checks. A newer report replaces a queued
 * one of the same tenant. A crash loses at most the last half second.
 */
export class HealthRecorder {
  readonly #options: RecorderOptions;
  #queued = new Map<string, HealthReport>();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Queues a report. */
  add(report: HealthReport): void {
    this.#queued.set(report.tenant_id, report);
    if (this.#queued.size >= maxQueued) this.#flushInBackground();
    else this.#timer ??= setTimeout(() => this.#flushInBackground(), maxDelayMs);
  }

  /** Writes the queued reports after the current write. @throws the error of `write` */
  flush(): Promise<void> {
    this.#next ??= this.#last.then(() => this.#write());
    return this.#next;
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    const reports = [...this.#queued.values()];
    this.#queued = new Map();
    this.#timer = undefined;
    this.#next = undefined;
    const written = reports.length === 0 ? Promise.resolve() : this.#options.write(reports);
    this.#last = written.catch(() => undefined);
    return written;
  }

  #flushInBackground(): void {
    if (!this.#next) this.flush().catch((error: unknown) => this.#options.onError(error));
  }
}
