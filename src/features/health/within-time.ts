/** The answer of `work`, or an Error when it takes longer; for work that takes no signal and may go on unheard. */
export async function withinTime<T>(timeoutMs: number, work: () => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
