import { findCause } from '../../../adapters/runtimes/failure-causes.ts';
import type { Runtime, UnitRef, UnitState } from '../../../adapters/runtimes/runtime.ts';
import { explain } from '../../../lib/errors.ts';
import { foreignText } from '../../../lib/text/foreign-text.ts';
import type { LogFinding } from './facts.ts';
import { type ScriptProblem, scriptTexts } from './start-script.ts';
import { uncaughtException } from './uncaught-exception.ts';

const maxLines = 200;
const readTimeoutMs = 5_000;
/** Without the start of the run that ended: its last words were written shortly before its end. In ms. */
const lastWordsMs = 10_000;
/** An engine that restarts a unit waits for up to a minute, and keeps nothing of how the run before ended. In ms. */
const restartedMs = 60_000;
/** The end of the run before may explain the present one for this long. In ms. */
const explainsMs = 300_000;
/** Times of lines are rounded, or those at which they were read. In ms. */
const roundingMs = 100;

interface Line {
  message: string;
  time: Date | undefined;
}

/** Whether a unit runs that has ended shortly before, without its runtime knowing how. */
export const wasJustRestarted = (state: UnitState | undefined, now: number, withinMs = restartedMs): boolean =>
  state?.state === 'active' &&
  (state.restarts ?? 0) > 0 &&
  !state.lastExit &&
  now - (state.startedAt?.getTime() ?? 0) < withinMs;

/**
 * The last lines that say something about a unit's present state: those of the current run, or the last words of the one that ended.
 * Lines of earlier runs say nothing about it.
 */
export async function linesOf(
  runtime: Pick<Runtime, 'logs'>,
  unit: UnitRef,
  state: UnitState | undefined,
  now: number,
): Promise<Line[]> {
  // Its earlier runs have ended.
  if (state?.waiting && state.startedAt === null) return [];
  const lines: Line[] = [];
  const signal = AbortSignal.timeout(readTimeoutMs);
  for await (const { message, time } of runtime.logs(unit, { lines: maxLines, follow: false, signal }))
    lines.push({ message: foreignText(message.slice(0, maxLineLength)).trimEnd(), time });
  const since = sinceWhen(state, now);
  return lines.filter(({ time }) => since === undefined || time === undefined || time.getTime() >= since);
}

/** Longer than the entries with a stack that loggers write. */
const maxLineLength = 8_000;

/** What the lines show: the exception that ended the unit, or else the cause that the newest line names. */
export function logFinding(lines: readonly Line[], state: UnitState | undefined): LogFinding | undefined {
  return exceptionIn(ended(lines, state), state) ?? causeIn(lines);
}

/** What a file shows whose program could not be run. */
export function scriptFinding(problem: ScriptProblem, at: Date): LogFinding {
  const { found } = explain(problem, scriptTexts[problem.code]);
  return { code: problem.code, what: found.title, advice: found.remedy ?? '', at, params: problem.params };
}

/** The lines of the run that has ended, if one has. */
export function ended(lines: readonly Line[], state: UnitState | undefined): readonly Line[] {
  if (state?.state !== 'active') return lines;
  const startedAt = state.startedAt?.getTime() ?? 0;
  const isBefore = ({ time }: Line): boolean => time === undefined || time.getTime() < startedAt;
  return (state.restarts ?? 0) > 0 ? lines.filter(isBefore) : [];
}

function exceptionIn(lines: readonly Line[], state: UnitState | undefined): LogFinding | undefined {
  const { signal, outOfMemory } = state?.lastExit ?? {};
  // Others than programs that abort were ended from outside.
  if (outOfMemory || (signal && signal !== 'SIGABRT')) return undefined;
  const exception = uncaughtException(lines.map(({ message }) => message));
  if (!exception) return undefined;
  const at = lines.at(-1)?.time;
  const known = findCause(exception.lines);
  const ofProgram = findCause(exception.before);
  for (const cause of [known, ofProgram])
    if (cause && cause.code !== 'application_error')
      return { code: cause.code, what: cause.what, advice: cause.advice, at };
  // An address may hold credentials.
  const error = exception.error.replaceAll(/:\/\/[^\s/@]{1,200}@/g, '://…@');
  const what = exception.place === undefined ? error : `${error} at ${exception.place}`;
  const advice = 'Fix it in the repository, then deploy the fixed version';
  return { code: 'uncaught_exception', what, advice, at, lines: exception.lines };
}

function causeIn(lines: readonly Line[]): LogFinding | undefined {
  const found = lines.toReversed().flatMap(({ message, time }) => {
    const cause = findCause([message]);
    return cause ? [{ code: cause.code, what: cause.what, advice: cause.advice, at: time }] : [];
  });
  // A named error says less than a known cause, such as the one that led to it.
  return found.find(({ code }) => code !== 'application_error') ?? found[0];
}

function sinceWhen(state: UnitState | undefined, now: number): number | undefined {
  const { lastExit, startedAt } = state ?? {};
  if (startedAt && wasJustRestarted(state, now, explainsMs)) return startedAt.getTime() - restartedMs - lastWordsMs;
  const started = (lastExit ? lastExit.startedAt : startedAt)?.getTime();
  if (started !== undefined) return started - roundingMs;
  const ended = lastExit?.at?.getTime();
  return ended === undefined ? undefined : ended - lastWordsMs;
}
