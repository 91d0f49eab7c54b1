import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { invalid } from '../../../lib/errors.ts';
import { runTask } from '../../../lib/workers/worker-task.ts';
import type { PasswordScore, PasswordScoreTask } from './password-task.ts';

const leastScore = 2;
/** Judging takes time that grows steeply with the length; a longer password is judged by its beginning. */
const judgedCharacters = 64;

const entry = new URL('./password-worker.ts', import.meta.url);
/** MiB; the dictionaries take 35 of it, which the manager would else keep for good. */
const heapMb = 128;
const timeoutMs = 30_000;
/** One thread at a time, whoever asks. */
const judging = new KeyedLock();

/** Whether a password can be found in few guesses: common ones, the product's name, the user's own name and address. A thread of its own judges it. */
export async function isGuessable(password: string, user: { username: string; email: string }): Promise<boolean> {
  const known = [user.username, user.email, ...user.email.split(/[@.]/), 'tenantry'].filter((word) => word !== '');
  const task = { password: password.slice(0, judgedCharacters), known };
  const { score } = await judging.run('', () =>
    runTask<PasswordScoreTask, never, PasswordScore>(entry, task, { heapMb, timeoutMs }),
  );
  return score < leastScore;
}

/** @throws AppError validation_error at `path` where the password is trivially guessable */
export async function assertStrongPassword(
  path: string,
  password: string,
  user: { username: string; email: string },
): Promise<void> {
  if (await isGuessable(password, user)) {
    throw invalid(path, 'Too easy to guess; use several unrelated words, or a password manager');
  }
}
