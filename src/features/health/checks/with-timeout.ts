/** The answer of `work`, or an Error when it takes longer; for work that takes no signal and may go on unheard. */
export function withTimeout<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const working = work();
    const timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    working.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
