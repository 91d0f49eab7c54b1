/** Consecutive good checks after which a tenant, or a dependency of the manager, has recovered. */
export const checksToRecover = 2;

/** Units that were just restarted need a moment, and are checked several times. Less than the shortest interval of sweeps. */
export const minGapMs = 4_000;

/** Counts consecutive good and bad checks by name. A restart starts again, so an incident is opened at most some checks later. */
export class Streaks {
  readonly #counts = new Map<string, { bad: number; good: number; badAt: number; goodAt: number }>();

  /** @returns how many checks in a row were bad; several within `minGapMs` count once */
  bad(name: string, at: Date): number {
    const known = this.#counts.get(name);
    if (known && known.bad > 0 && at.getTime() - known.badAt < minGapMs) return known.bad;
    const bad = (known?.bad ?? 0) + 1;
    this.#counts.set(name, { bad, good: 0, badAt: at.getTime(), goodAt: 0 });
    return bad;
  }

  /** @returns how many checks in a row were good, and how long ago the first of them was */
  good(name: string, at: Date): { good: number; sinceMs: number } {
    const known = this.#counts.get(name);
    const good = (known?.good ?? 0) + 1;
    const goodAt = known && known.good > 0 ? known.goodAt : at.getTime();
    this.#counts.set(name, { bad: 0, good, badAt: 0, goodAt });
    return { good, sinceMs: at.getTime() - goodAt };
  }

  badOf = (name: string): number => this.#counts.get(name)?.bad ?? 0;
  has = (name: string): boolean => this.#counts.has(name);
  forget = (name: string): boolean => this.#counts.delete(name);
  names = (): string[] => [...this.#counts.keys()];
  /** Those whose last check was bad. */
  failing = (): string[] => [...this.#counts].filter(([, { bad }]) => bad > 0).map(([name]) => name);
}

/** Whether a long failure is diagnosed again after this many checks: soon, then rarely. */
export const isTimeToDiagnose = (bad: number): boolean => bad === 3 || bad === 5 || bad % 10 === 0;

/**
 * What the diagnoses of degraded tenants found: only the cause says whether users notice anything. While the same checks fail, the
 * answer is reused, because many tenants may be degraded for long.
 */
export class DegradedTenants {
  readonly #known = new Map<string, { problems: string; isFailing: boolean; checks: number }>();

  /** Takes a check. @returns whether the tenant fails; undefined: a diagnosis must say it */
  isFailing(tenantId: string, problems: string): boolean | undefined {
    const known = this.#known.get(tenantId);
    if (known?.problems !== problems) return undefined;
    known.checks += 1;
    return isTimeToDiagnose(known.checks) ? undefined : known.isFailing;
  }

  save(tenantId: string, problems: string, isFailing: boolean): void {
    const known = this.#known.get(tenantId);
    const checks = known?.problems === problems ? known.checks : 1;
    this.#known.set(tenantId, { problems, isFailing, checks });
  }

  has = (tenantId: string): boolean => this.#known.has(tenantId);
  forget = (tenantId: string): boolean => this.#known.delete(tenantId);
}
