import type { HealthReport } from '../schema.ts';

interface RecorderOptions {
  /** Writes the reports, one a tenant, in one go. */
  write(reports: readonly HealthReport[]): Promise<void>;
  /** Told of a failure that nobody waits for. */
  onError(error: unknown): void;
}

/** So many reports, or the oldest of them so old, are written. */
const maxQueued = 100;
const mostMs = 500;

/**
 * Takes reports to the store, many a write: a write each would take a sweep longer than the checks. Of a tenant's reports
 * that wait, the last one counts. What a crash may lose is the last half second.
 */
export class HealthRecorder {
  readonly #options: RecorderOptions;
  #waiting = new Map<string, HealthReport>();
  #timer: NodeJS.Timeout | undefined;
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Has the report written soon. */
  add(report: HealthReport): void {
    this.#waiting.set(report.tenant_id, report);
    if (this.#waiting.size >= maxQueued) this.#flushUnheard();
    else this.#timer ??= setTimeout(() => this.#flushUnheard(), mostMs);
  }

  /** Writes what waits, after what is being written. @throws what `write` threw */
  flush(): Promise<void> {
    this.#next ??= this.#last.then(() => this.#write());
    return this.#next;
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    const reports = [...this.#waiting.values()];
    this.#waiting = new Map();
    this.#timer = undefined;
    this.#next = undefined;
    const written = reports.length === 0 ? Promise.resolve() : this.#options.write(reports);
    this.#last = written.catch(() => undefined);
    return written;
  }

  #flushUnheard(): void {
    if (!this.#next) this.flush().catch((error: unknown) => this.#options.onError(error));
  }
}
