/** The time, as a dependency: tests move it, the house reads it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
