/**
 * Works on all items, up to `concurrency` at a time; reads the next item when there is room for it. Resolves when all are done. After
 * a failure it starts no more work. @throws the first failure, once the running work has ended
 */
export async function mapConcurrently<T>(
  items: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const remaining = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    try {
      for (let next = await remaining.next(); !next.done && failures.length === 0; next = await remaining.next()) {
        await work(next.value);
      }
    } catch (error) {
      failures.push(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (failures.length === 0) return;
  await remaining.return?.();
  throw failures[0];
}
