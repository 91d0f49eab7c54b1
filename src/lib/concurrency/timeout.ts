interface TimeoutOptions {
  timeoutMs?: number;
  /** The error after the timeout; default: "no answer within … ms". */
  timeoutError?: () => Error;
  signal?: AbortSignal | undefined;
}

/**
 * The result of `work`, if it comes in time. The work itself, which accepts no signal, continues.
 * @throws what the work throws; the error of the timeout; the signal's reason
 */
export async function withTimeout<T>(work: () => Promise<T>, options: TimeoutOptions): Promise<T> {
  const { timeoutMs, timeoutError, signal } = options;
  const tooLate = Promise.withResolvers<never>();
  // `work` may throw before the race listens.
  tooLate.promise.catch(() => undefined);
  const abort = (): void => tooLate.reject(signal?.reason);
  const giveUp = (): void => tooLate.reject(timeoutError?.() ?? new Error(`no answer within ${timeoutMs} ms`));
  const timer = timeoutMs === undefined ? undefined : setTimeout(giveUp, timeoutMs);
  signal?.addEventListener('abort', abort, { once: true });
  if (signal?.aborted) abort();
  try {
    return await Promise.race([work(), tooLate.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
