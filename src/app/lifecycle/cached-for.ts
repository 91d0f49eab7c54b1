/** Caches the answer of `ask` for `ageMs` from the start of the request; concurrent callers share it. */
export function cachedFor<T>(ask: () => Promise<T>, ageMs: number): () => Promise<T> {
  let last: { startedAt: number; answer: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.startedAt > ageMs) last = { startedAt: now, answer: ask() };
    return last.answer;
  };
}
