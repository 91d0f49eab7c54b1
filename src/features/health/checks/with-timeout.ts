/** Returns the result of `work` or throws when it takes too long. The work itself, which accepts no signal, continues. */
export function withTimeout<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const working = work();
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    working.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
