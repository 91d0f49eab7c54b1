const lanes = 16;

/** Works on all items, sixteen at a time; ends when all are done, or rejects with the first failure. */
export async function mapConcurrently<T>(items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const left = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(lanes, items.length) }, lane));
}
