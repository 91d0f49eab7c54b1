import { setTimeout as sleep } from 'node:timers/promises';
import type { Work } from '../../../../../lib/concurrency/work.ts';
import { type ProgramResult, runProgram } from '../../../../../lib/spawn.ts';
import { shellLine } from '../../../shell-line.ts';
import { endProcesses } from '../processes/end-processes.ts';

interface OwnLine {
  line: string;
  cwd: string;
  environment: Record<string, string>;
  /** The mark in `environment` identifies all processes it starts. */
  mark: string;
  timeoutMs?: number;
}

/** `runProgram` gives a cancelled program 3 s; then processes that left its group and still hold its output are killed. */
const sweepAfterMs = 3_500;

/**
 * Runs one of the tenant repository's own lines (an install, a migration) to its end. Nothing it started remains afterwards,
 * however it ended.
 * @throws the signal's reason when aborted
 */
export async function runOwnLine(own: OwnLine, work: Work): Promise<ProgramResult> {
  const { file, args } = shellLine(own.line);
  const marked = (mark: string): boolean => mark === own.mark;
  const sweep = new AbortController();
  const sweepLater = (delayMs: number): void => {
    sleep(delayMs, undefined, { signal: sweep.signal })
      .then(() => endProcesses({ marked }, 0))
      .catch(() => undefined);
  };
  const onAbort = (): void => sweepLater(sweepAfterMs);
  work.signal.addEventListener('abort', onAbort, { once: true });
  if (own.timeoutMs !== undefined) sweepLater(own.timeoutMs + sweepAfterMs);
  try {
    return await runProgram(file, args, {
      cwd: own.cwd,
      env: own.environment,
      signal: work.signal,
      onLine: (line) => work.log(line),
      ...(own.timeoutMs === undefined ? {} : { timeoutMs: own.timeoutMs }),
    });
  } finally {
    sweep.abort();
    work.signal.removeEventListener('abort', onAbort);
    await endProcesses({ marked }, 0);
  }
}
