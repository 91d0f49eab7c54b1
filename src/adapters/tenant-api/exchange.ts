import type { Dispatcher } from 'undici';

/** A whole answer. */
export interface TenantAnswer {
  statusCode: number;
  /** Milliseconds until the status line and headers. */
  responseTimeMs: number;
  body: string;
  /** The answer was longer than the limit: this is its start. */
  cut: boolean;
}

/**
 * One request and its answer, read up to a limit. A handler of undici's `dispatch`: a sweep requests thousands of pages, and
 * undici's streams take as long as the rest of a request.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #maxBytes: number;
  readonly #began = performance.now();
  readonly #whole = Promise.withResolvers<TenantAnswer>();
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #size = 0;
  #statusCode: number | null = null;
  #responseTimeMs = 0;
  #over: Error | undefined;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The answer so far; null until the headers arrive. */
  get statusCode(): number | null {
    return this.#statusCode;
  }

  /** The answer; rejects if there is none, and with the reason of `giveUp`. */
  get answer(): Promise<TenantAnswer> {
    return this.#whole.promise;
  }

  /** Ends it and its connection; at once, also while it waits for one. */
  giveUp(reason: Error): void {
    if (this.#over) return;
    this.#over = reason;
    this.#whole.reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(this.#over);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, statusCode: number): void {
    if (statusCode < 200) return;
    this.#statusCode = statusCode;
    this.#responseTimeMs = Math.round(performance.now() - this.#began);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size <= this.#maxBytes) return;
    this.#resolve();
    controller.abort(new Error('The answer is longer than asked for'));
  }

  onResponseEnd(): void {
    this.#resolve();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#whole.reject(error);
  }

  #resolve(): void {
    const [only] = this.#chunks;
    const bytes = this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks);
    this.#whole.resolve({
      statusCode: this.#statusCode as number,
      responseTimeMs: this.#responseTimeMs,
      body: bytes.toString('utf8', 0, this.#maxBytes),
      cut: this.#size > this.#maxBytes,
    });
  }
}
