/** The answer of `ask`, asked anew only when the last was begun longer ago than `ageMs`; who asks meanwhile shares it. */
export function cachedFor<T>(ask: () => Promise<T>, ageMs: number): () => Promise<T> {
  let last: { begun: number; answer: Promise<T> } | undefined;
  return () => {
    const now = performance.now();
    if (!last || now - last.begun > ageMs) last = { begun: now, answer: ask() };
    return last.answer;
  };
}
