/** Counts consecutive good and bad checks by name. A restart starts again, so an incident is opened at most some checks later. */
export class Streaks {
  readonly #counts = new Map<string, { bad: number; good: number }>();

  /** @returns how many checks in a row were bad */
  bad(name: string): number {
    const bad = (this.#counts.get(name)?.bad ?? 0) + 1;
    this.#counts.set(name, { bad, good: 0 });
    return bad;
  }

  /** @returns how many checks in a row were good */
  good(name: string): number {
    const good = (this.#counts.get(name)?.good ?? 0) + 1;
    this.#counts.set(name, { bad: 0, good });
    return good;
  }

  has = (name: string): boolean => this.#counts.has(name);
  forget = (name: string): boolean => this.#counts.delete(name);
  names = (): string[] => [...this.#counts.keys()];
  /** Those whose last check was bad. */
  failing = (): string[] => [...this.#counts].filter(([, { bad }]) => bad > 0).map(([name]) => name);
}

/** Whether a long failure is diagnosed again after this many checks: soon, then rarely. */
export const isTimeToDiagnose = (bad: number): boolean => bad === 3 || bad === 5 || bad % 10 === 0;
