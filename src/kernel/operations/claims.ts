import { AppError } from '../errors.ts';

interface Claim {
  name: string;
  operationId: string | undefined;
}

/** Who works on a subject: one at a time. */
export class Claims {
  readonly #claims = new Map<string, Claim>();

  /**
   * Takes a subject; answers what gives it back.
   * @throws AppError operation_in_progress
   */
  take(subject: string, name: string, operationId?: string): () => void {
    this.assertIdle(subject);
    const claim: Claim = { name, operationId };
    this.#claims.set(subject, claim);
    return () => {
      if (this.#claims.get(subject) === claim) this.#claims.delete(subject);
    };
  }

  has(subject: string): boolean {
    return this.#claims.has(subject);
  }

  /** @throws AppError operation_in_progress, naming what is under way */
  assertIdle(subject: string): void {
    const claim = this.#claims.get(subject);
    if (!claim) return;
    const which = claim.operationId ? ` (${claim.operationId})` : '';
    throw new AppError(
      'operation_in_progress',
      `Another operation is in progress on this tenant: ${claim.name}${which}`,
    );
  }
}
