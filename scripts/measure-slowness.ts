import { Worker } from 'node:worker_threads';

/** What each thread computes: some 0.25 s on a processor of 2025. */
const work = "require('node:crypto').pbkdf2Sync('', '', 500_000, 64, 'sha512')";
/** As many as suites run side by side. */
const threads = 3;
/** How long they take together on a quiet machine with two processors, in ms. */
const usualMs = 500;

/** How many times slower than usual this machine is, at least 1: its processors may be slow, few, or busy. The best of three. */
export async function measureSlowness(): Promise<number> {
  const times = [await measure(), await measure(), await measure()];
  return Math.max(1, Math.round((Math.min(...times) / usualMs) * 10) / 10);
}

async function measure(): Promise<number> {
  const startedAt = performance.now();
  const ended = Array.from({ length: threads }, () => {
    const worker = new Worker(work, { eval: true });
    return new Promise<void>((resolve, reject) => worker.once('exit', () => resolve()).once('error', reject));
  });
  await Promise.all(ended);
  return performance.now() - startedAt;
}
