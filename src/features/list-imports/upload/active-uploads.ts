/** Uploads under way: their directory is there before their job. */
export interface Arrivals {
  during<T>(id: string, work: () => Promise<T>): Promise<T>;
  present(): ReadonlySet<string>;
}

export function createArrivals(): Arrivals {
  const ids = new Set<string>();
  return {
    async during(id, work) {
      ids.add(id);
      try {
        return await work();
      } finally {
        ids.delete(id);
      }
    },
    present: () => ids,
  };
}
