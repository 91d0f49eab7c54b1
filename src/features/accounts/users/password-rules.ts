import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { invalid } from '../../../lib/errors.ts';
import { runTask } from '../../../lib/workers/worker-task.ts';

/** Input of the worker that scores a password. */
export interface PasswordScoreTask {
  password: string;
  /** Words that are easy to guess: the user's name and address, the product's name. */
  known: string[];
}

/** The worker's result: zxcvbn's score from 0 (few guesses) to 4. */
export interface PasswordScore {
  score: number;
}

const minScore = 2;
/** Scoring time grows steeply with length, so only the first characters count. */
const maxScoredCharacters = 64;

const entry = new URL('./password-worker.ts', import.meta.url);
/** The dictionaries take 35 MiB; in a worker, the manager gets that memory back. */
const heapMb = 128;
const timeoutMs = 30_000;
/** One worker at a time. */
const scoring = new KeyedLock();

/** Whether few guesses find a password: common ones, the product's name, the user's name and address. Runs in a worker. */
export async function isGuessable(password: string, user: { username: string; email: string }): Promise<boolean> {
  const known = [user.username, user.email, ...user.email.split(/[@.]/), 'tenantry'].filter((word) => word !== '');
  const task = { password: password.slice(0, maxScoredCharacters), known };
  const { score } = await scoring.run('', () =>
    runTask<PasswordScoreTask, never, PasswordScore>(entry, task, { heapMb, timeoutMs }),
  );
  return score < minScore;
}

/** @throws AppError validation_error at `path` for an easily guessed password */
export async function assertStrongPassword(
  path: string,
  password: string,
  user: { username: string; email: string },
): Promise<void> {
  if (await isGuessable(password, user)) {
    throw invalid(path, 'Too easy to guess. Use several unrelated words or a password manager.');
  }
}
