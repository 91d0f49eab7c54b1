/** A time limit joined with a caller's signal; `end` must be called, so that nothing stays on a long-lived signal. */
export interface Deadline {
  signal: AbortSignal;
  /** Whether the time was up, rather than the caller giving up. */
  passed(): boolean;
  end(): void;
}

export function startDeadline(timeoutMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  let passed = false;
  const timer = setTimeout(() => {
    passed = true;
    controller.abort(new Error(`No answer within ${timeoutMs} ms`));
  }, timeoutMs);
  const giveUp = (): void => controller.abort(outer?.reason);
  if (outer?.aborted) giveUp();
  outer?.addEventListener('abort', giveUp, { once: true });
  return {
    signal: controller.signal,
    passed: () => passed,
    end() {
      clearTimeout(timer);
      outer?.removeEventListener('abort', giveUp);
    },
  };
}
