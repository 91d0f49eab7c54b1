/** Uploads under way: their directory is there before their job. */
export interface ActiveUploads {
  track<T>(id: string, work: () => Promise<T>): Promise<T>;
  ids(): ReadonlySet<string>;
}

export function createActiveUploads(): ActiveUploads {
  const ids = new Set<string>();
  return {
    async track(id, work) {
      ids.add(id);
      try {
        return await work();
      } finally {
        ids.delete(id);
      }
    },
    ids: () => ids,
  };
}
