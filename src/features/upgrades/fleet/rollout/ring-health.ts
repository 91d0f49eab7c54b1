import { poll } from '../../../../lib/concurrency/poll.ts';
import { messageOf } from '../../../../lib/errors.ts';
import type { Member } from '../fleet.ts';

/** Tenants looked at side by side. */
const concurrency = 8;

/**
 * Looks whether all that were upgraded in a ring are still healthy; each has its time to become so.
 * @returns what is wrong, by tenant; those that are healthy are missing
 */
export async function ringProblems(
  members: readonly Member[],
  ring: number,
  look: { healthProblem(tenantId: string): Promise<string | undefined>; patienceMs: number; signal: AbortSignal },
): Promise<Map<string, string>> {
  const problems = new Map<string, string>();
  const queue = members.filter((member) => member.ring === ring && member.status === 'succeeded');
  const worker = async (): Promise<void> => {
    for (let member = queue.shift(); member; member = queue.shift()) {
      const problem = await lastingProblem(member.tenantId, look);
      if (problem !== undefined) problems.set(member.tenantId, problem);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return problems;
}

async function lastingProblem(tenantId: string, look: Parameters<typeof ringProblems>[2]): Promise<string | undefined> {
  let problem: string | undefined;
  const healthy = await poll<true>(
    async () => {
      problem = await look.healthProblem(tenantId).catch(messageOf);
      return problem === undefined ? true : undefined;
    },
    { timeoutMs: look.patienceMs, intervalMs: 1_000, signal: look.signal },
  );
  return healthy ? undefined : problem;
}
