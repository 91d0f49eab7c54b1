import { invalid } from '../../kernel/errors.ts';
import { runTask } from '../../kernel/worker-task.ts';
import type { Judgement, JudgementTask } from './password-task.ts';

const leastScore = 2;
/** Judging takes time that grows steeply with the length; a longer password is judged by its beginning. */
const judgedCharacters = 64;

const entry = new URL('./password-worker.ts', import.meta.url);
/** MiB; the dictionaries take 35 of it, which the manager would else keep for good. */
const heapMb = 128;
const timeoutMs = 30_000;

/** Whether a password can be found in few guesses, judged in a thread of its own: common ones, the product's name, the user's own name and address. */
export async function isGuessable(password: string, user: { username: string; email: string }): Promise<boolean> {
  const known = [user.username, user.email, ...user.email.split(/[@.]/), 'tenantry'].filter((word) => word !== '');
  const { score } = await runTask<JudgementTask, never, Judgement>(
    entry,
    { password: password.slice(0, judgedCharacters), known },
    { heapMb, timeoutMs },
  );
  return score < leastScore;
}

/** @throws AppError validation_error at `path` where the password is trivially guessable */
export async function assertGoodPassword(
  path: string,
  password: string,
  user: { username: string; email: string },
): Promise<void> {
  if (await isGuessable(password, user)) {
    throw invalid(path, 'Too easy to guess; use several unrelated words, or a password manager');
  }
}
