import { AppError } from '../errors.ts';

interface HeldLock {
  name: string;
  operationId: string | undefined;
  /** Short work of the manager's own. */
  background: boolean;
}

/**
 * Operations that may run concurrently with others: maps each to the ones it conflicts with. They do not make the subject count
 * as busy.
 */
type CompatibleWork = Readonly<Record<string, readonly string[]>>;

/** Locks per subject: one holder at a time, plus compatible ones. */
export class SubjectLocks {
  readonly #compatible: CompatibleWork;
  readonly #held = new Map<string, HeldLock[]>();

  /** Work in the background by subject. */
  readonly #background = new Map<string, Promise<void>>();

  constructor(compatible: CompatibleWork = {}) {
    this.#compatible = compatible;
  }

  /**
   * Locks a subject; returns the function that unlocks it.
   * @throws AppError operation_in_progress
   */
  take(
    subject: string,
    name: string,
    { operationId, background = false }: { operationId?: string; background?: boolean } = {},
  ): () => void {
    refuse(this.#of(subject).find((lock) => this.#collide(lock.name, name)));
    const lock: HeldLock = { name, operationId, background };
    this.#held.set(subject, [...this.#of(subject), lock]);
    return () => {
      const left = this.#of(subject).filter((other) => other !== lock);
      if (left.length > 0) this.#held.set(subject, left);
      else this.#held.delete(subject);
    };
  }

  /**
   * Runs short work of the manager's own under a lock, after `before`: the subject does not count as busy, and who wants its lock
   * can wait for `backgroundOf`.
   * @throws AppError operation_in_progress
   */
  async inBackground(subject: string, name: string, before: Promise<void>, work: () => Promise<void>): Promise<void> {
    const run = async (): Promise<void> => {
      await before;
      const release = this.take(subject, name, { background: true });
      await work().finally(release);
    };
    const running = run();
    this.#background.set(subject, running);
    await running.finally(() => {
      if (this.#background.get(subject) === running) this.#background.delete(subject);
    });
  }

  /** The end of the work in the background. */
  backgroundOf(subject: string): Promise<void> | undefined {
    return this.#background.get(subject);
  }

  has(subject: string): boolean {
    return this.#busy(subject) !== undefined;
  }

  /** @throws AppError operation_in_progress, naming the running work */
  assertIdle(subject: string): void {
    refuse(this.#busy(subject));
  }

  #of(subject: string): readonly HeldLock[] {
    return this.#held.get(subject) ?? [];
  }

  #busy(subject: string): HeldLock | undefined {
    return this.#of(subject).find(({ name, background }) => !background && !this.#compatible[name]);
  }

  #collide(one: string, other: string): boolean {
    if (!this.#compatible[one] && !this.#compatible[other]) return true;
    return (this.#compatible[one]?.includes(other) ?? false) || (this.#compatible[other]?.includes(one) ?? false);
  }
}

function refuse(lock: HeldLock | undefined): void {
  if (!lock) return;
  const which = lock.operationId ? ` (${lock.operationId})` : '';
  throw new AppError('operation_in_progress', `Another operation is in progress on this tenant: ${lock.name}${which}`);
}
