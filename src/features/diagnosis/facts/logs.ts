import { findCause } from '../../../adapters/runtimes/failure-causes.ts';
import type { Runtime, UnitRef, UnitState } from '../../../adapters/runtimes/runtime.ts';
import type { LogFinding } from './facts.ts';

const maxLines = 80;
const readTimeoutMs = 5_000;
/** Without the start of the run that ended: its last words were written shortly before its end. In ms. */
const lastWordsMs = 10_000;
/** Times of lines are rounded, or those at which they were read. In ms. */
const roundingMs = 100;

/**
 * What a unit's last lines show about its present state: those of the current run, or the last words of the one that ended. Lines
 * of earlier runs say nothing about it.
 */
export async function logFinding(
  runtime: Pick<Runtime, 'logs'>,
  unit: UnitRef,
  state: UnitState | undefined,
): Promise<LogFinding | undefined> {
  // Its earlier runs have ended.
  if (state?.waiting && state.startedAt === null) return undefined;
  const lines: { message: string; time: Date | undefined }[] = [];
  const signal = AbortSignal.timeout(readTimeoutMs);
  for await (const line of runtime.logs(unit, { lines: maxLines, follow: false, signal })) lines.push(line);
  const since = sinceWhen(state);
  const recent = lines.filter(({ time }) => since === undefined || time === undefined || time.getTime() >= since);
  const newest = recent.toReversed();
  const found = newest.flatMap(({ message, time }) => {
    const cause = findCause([message]);
    return cause ? [{ code: cause.code, what: cause.what, advice: cause.advice, at: time }] : [];
  });
  // A named error says less than a known cause, such as the one that led to it.
  return found.find(({ code }) => code !== 'application_error') ?? found[0];
}

function sinceWhen(state: UnitState | undefined): number | undefined {
  const { lastExit, startedAt } = state ?? {};
  const started = (lastExit ? lastExit.startedAt : startedAt)?.getTime();
  if (started !== undefined) return started - roundingMs;
  const ended = lastExit?.at?.getTime();
  return ended === undefined ? undefined : ended - lastWordsMs;
}
