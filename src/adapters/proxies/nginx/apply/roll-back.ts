import { AppError, messageOf } from '../../../../lib/errors.ts';
import type { BatchTools, Pending } from './batch-tools.ts';
import { type Change, expectationOfFile } from './change.ts';

/**
 * Puts the former files back, reloads, looks that the former sites are served again, and rejects the changes.
 * @param reasonOf why a change failed; where nginx cannot even be reloaded any more, that is said as well
 */
export async function rollBack(
  tools: BatchTools,
  pending: readonly Pending[],
  reasonOf: (change: Change) => unknown,
): Promise<void> {
  if (pending.length === 0) return;
  const { files, program, proof, logger } = tools;
  const notPutBack = new Map<Change, string>();
  for (const { change } of pending) {
    await files.putBack(change.slug).catch((error: unknown) => notPutBack.set(change, messageOf(error)));
  }
  let unavailable: unknown;
  try {
    await program.reload();
    const former = pending.flatMap(({ before }) => expectationOfFile(before) ?? []);
    const unserved = await proof.prove(former, tools.proofTimeoutMs());
    for (const [slug, reason] of unserved) logger.error({ slug, reason }, 'a site that was put back is not served');
  } catch (error) {
    unavailable = error;
  }
  for (const { change } of pending) {
    const reason = reasonOf(change);
    const kept = notPutBack.get(change);
    const text = messageOf(reason) + (kept === undefined ? '' : `\nThe former file could not be put back: ${kept}`);
    if (unavailable === undefined && kept === undefined) change.reject(reason);
    else if (unavailable === undefined) change.reject(new Error(text));
    else change.reject(new AppError('proxy_unavailable', withWords(text, messageOf(unavailable))));
  }
}

const withWords = (text: string, words: string): string => (text.includes(words) ? text : `${text}\n${words}`);
