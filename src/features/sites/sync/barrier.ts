/** Lets several pieces of work wait for each other: who arrives goes on when all others have arrived as well, or have left. */
export function createBarrier(parties: number): { arrive(): Promise<void>; leave(): void } {
  const all = Promise.withResolvers<void>();
  let awaited = parties;
  const count = (): void => {
    awaited -= 1;
    if (awaited === 0) all.resolve();
  };
  return {
    arrive() {
      count();
      return all.promise;
    },
    leave: count,
  };
}
