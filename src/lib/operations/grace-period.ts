/** Work that did not end though it was told to: nobody waits for it any longer, but it may still be under way. */
export class AbandonedWorkError extends Error {
  /** Resolves or rejects when it ends after all. */
  readonly work: Promise<unknown>;

  constructor(work: Promise<unknown>, graceMs: number) {
    super(`did not end within ${graceMs / 1000} s of being told to, and is no longer waited for`);
    this.name = 'LeftBehind';
    this.work = work;
  }
}

/**
 * Does work that `signal` tells to end, and waits for its end no longer than a grace after that: what it waits for itself
 * (an engine that is frozen) may never answer.
 * @throws what the work throws; LeftBehind when the grace is over
 */
export async function withGracePeriod<T>(work: () => Promise<T>, signal: AbortSignal, graceMs: number): Promise<T> {
  const done = work();
  done.catch(() => undefined);
  const patience = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const told = (): void => {
    timer = setTimeout(() => patience.reject(new AbandonedWorkError(done, graceMs)), graceMs);
  };
  if (signal.aborted) told();
  else signal.addEventListener('abort', told, { once: true });
  try {
    return await Promise.race([done, patience.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', told);
  }
}
