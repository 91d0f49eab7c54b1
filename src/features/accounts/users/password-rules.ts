import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { invalid } from '../../../lib/errors.ts';
import { threadEnvironment } from '../../../lib/workers/worker-task.ts';

/** What the worker that scores passwords is sent. */
export interface PasswordScoreTask {
  password: string;
  /** Words that are easy to guess: the user's name and address, the product's name. */
  known: string[];
}

/** The worker's answer: zxcvbn's score from 0 (few guesses) to 4. */
export interface PasswordScore {
  score: number;
}

const minScore = 2;
/** Scoring time grows steeply with length, so only the first characters count. */
const maxScoredCharacters = 64;

/** The dictionaries take 35 MiB and most of the time; a worker keeps them for the next password, and is ended soon after the last. */
const keptMs = 2_000;
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 8 };
const timeoutMs = 30_000;
/** One password at a time. */
const scoring = new KeyedLock();
let kept: Worker | undefined;
let expiry: NodeJS.Timeout | undefined;

async function endWorker(worker: Worker): Promise<void> {
  if (kept === worker) kept = undefined;
  await worker.terminate();
}

function startWorker(): Worker {
  const worker = new Worker(new URL('./password-worker.ts', import.meta.url), {
    env: threadEnvironment(),
    argv: [],
    execArgv: [],
    resourceLimits,
  });
  for (const event of ['error', 'exit']) worker.on(event, () => endWorker(worker));
  return worker;
}

const tooLate = () => new Error(`A password was not scored within ${timeoutMs / 1_000} s`);

async function scoreOf(task: PasswordScoreTask): Promise<number> {
  clearTimeout(expiry);
  kept ??= startWorker();
  const worker = kept;
  worker.ref();
  const over = new AbortController();
  const ended = once(worker, 'exit', { signal: over.signal }).then(() => {
    throw new Error('The worker that scores passwords ended');
  });
  ended.catch(() => undefined);
  try {
    const answer = once(worker, 'message', { signal: over.signal });
    worker.postMessage(task);
    const [{ score }] = (await withTimeout(() => Promise.race([answer, ended]), {
      timeoutMs,
      timeoutError: tooLate,
    })) as [PasswordScore];
    return score;
  } catch (error) {
    await endWorker(worker);
    throw error;
  } finally {
    over.abort();
    worker.unref();
    expiry = setTimeout(() => void endWorker(worker), keptMs).unref();
  }
}

/** Whether few guesses find a password: common ones, the product's name, the user's name and address. Runs in a worker. */
export async function isGuessable(password: string, user: { username: string; email: string }): Promise<boolean> {
  const known = [user.username, user.email, ...user.email.split(/[@.]/), 'tenantry'].filter((word) => word !== '');
  const task = { password: password.slice(0, maxScoredCharacters), known };
  return (await scoring.run('', () => scoreOf(task))) < minScore;
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
