import { setTimeout as sleep } from 'node:timers/promises';
import { withTimeout } from '../../lib/concurrency/timeout.ts';
import type { Work } from '../../lib/concurrency/work.ts';
import { AppError, ExplainedError, messageOf } from '../../lib/errors.ts';
import { causeAndRemedy, problem } from './causes.ts';
import type { CheckCode, CheckResult, NotCheckedReason } from './schema.ts';

/** How long a check may take; one that moves, since its last line. */
const withinMs = 20_000;
/** How long a check that was ended may go on. */
const stragglersMs = 5_000;
/** How often the lines of a running check are shown. */
const shownEveryMs = 1_000;

/** Thrown by a check that can say nothing. */
export class NotChecked extends Error {
  readonly reason: NotCheckedReason;

  constructor(reason: NotCheckedReason, cause?: unknown) {
    super(cause === undefined ? reason : messageOf(cause), { cause });
    this.reason = reason;
  }
}

/** One check. */
export interface Check {
  code: CheckCode;
  /** It starts when these have ended. */
  after?: readonly CheckCode[];
  /** Its time begins again with each line: a pull. */
  moves?: true;
  /**
   * @param statusOf of a check that it comes after
   * @returns what it found, for users; undefined: nothing but that all is well
   * @throws ExplainedError with a code of `causeCodes`; NotChecked
   */
  run(work: Work, statusOf: (code: CheckCode) => CheckResult['status'] | undefined): Promise<string | undefined>;
}

export const pending = ({ code }: Pick<Check, 'code'>): CheckResult => ({
  check: code,
  status: 'pending',
  detail: null,
  cause: null,
  remedy: null,
  reason: null,
});

/**
 * Runs the checks side by side, each within its time, and answers their results in order. `onChange` is called with all results
 * after each change, one call at a time. @throws the signal's reason, after the running checks have ended or were given up
 */
export async function runChecks(
  checks: readonly Check[],
  { log, signal }: Work,
  onChange: (results: CheckResult[]) => Promise<void>,
): Promise<CheckResult[]> {
  const results = new Map(checks.map((check) => [check.code, pending(check)]));
  const ended = new Map<CheckCode, Promise<void>>();
  const working: Promise<unknown>[] = [];
  let shown = Promise.resolve();
  const change = (code: CheckCode, changes: Partial<CheckResult>): Promise<void> => {
    results.set(code, { ...pending({ code }), ...changes });
    const all = [...results.values()];
    shown = shown.then(() => onChange(all));
    return shown;
  };

  async function runOne(check: Check): Promise<void> {
    const { code } = check;
    await Promise.all((check.after ?? []).map((other) => ended.get(other)));
    signal.throwIfAborted();
    await change(code, { status: 'running' });
    const result = await resultOf(check, (line, isShown) => {
      log(`${code}: ${line}`);
      if (isShown) void change(code, { status: 'running', detail: line }).catch(() => undefined);
    });
    signal.throwIfAborted();
    log(`${code}: ${lineOf(result)}`);
    await change(code, result);
  }

  async function resultOf(
    { code, moves, run }: Check,
    onLine: (line: string, isShown: boolean) => void,
  ): Promise<Partial<CheckResult>> {
    const late = new AbortController();
    const slow = problem({ code: 'too_slow', params: { seconds: String(withinMs / 1_000) } });
    let timer: NodeJS.Timeout | undefined;
    const begin = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => late.abort(slow), withinMs);
    };
    let shownAt = 0;
    const work: Work = {
      log(line) {
        if (moves) begin();
        const isShown = performance.now() - shownAt >= shownEveryMs;
        if (isShown) shownAt = performance.now();
        onLine(line, isShown);
      },
      signal: AbortSignal.any([signal, late.signal]),
    };
    begin();
    try {
      const running = run(work, (other) => results.get(other)?.status);
      working.push(running);
      const found = await withTimeout(() => running, { signal: work.signal });
      return { status: 'good', detail: found ?? null };
    } catch (error) {
      return failureOf(code, error);
    } finally {
      clearTimeout(timer);
    }
  }

  for (const check of checks) ended.set(check.code, runOne(check));
  await Promise.allSettled(ended.values());
  // What a late check still makes must be there when all is removed.
  await Promise.race([Promise.allSettled(working), sleep(stragglersMs, undefined, { ref: false })]);
  signal.throwIfAborted();
  await Promise.all(ended.values());
  return [...results.values()];
}

function failureOf(code: CheckCode, error: unknown): Partial<CheckResult> {
  if (error instanceof NotChecked)
    return { status: 'not_checked', reason: error.reason, detail: error.cause === undefined ? null : error.message };
  // Its own check says why; here nothing is known.
  if (code !== 'runtime' && error instanceof AppError && error.code === 'runtime_unavailable')
    return { status: 'not_checked', reason: 'runtime_unavailable' };
  const { found, detail } =
    error instanceof ExplainedError ? error : problem({ code: 'check_failed', params: {} }, error);
  return { status: 'failed', detail: detail === found.title ? null : detail, ...causeAndRemedy(found) };
}

const lineOf = ({ status, cause, remedy, detail, reason }: Partial<CheckResult>): string =>
  [status, cause && `${cause.title}. ${remedy?.text}.`, reason, detail].filter(Boolean).join(', ');
