import { type FailureCause, findCause, portInUse } from '../../../adapters/runtimes/failure-causes.ts';
import { nameOfHolder, type PortHolder } from '../../../adapters/runtimes/port-holder.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { AppError, ExplainedError, messageOf } from '../../../lib/errors.ts';
import { foreignText } from '../../../lib/text/foreign-text.ts';

/** Lines of output that are searched for a cause. */
const maxLines = 100;

/** Finds the process that holds a port of this machine. */
type FindHolder = (port: number) => Promise<PortHolder | undefined>;

/**
 * Adds the cause in plain words if the error's message or the last lines of output show one; else returns the error unchanged.
 * @param unitPorts ports of units that failed without a message: another process may hold one of them
 */
export async function explain(
  error: unknown,
  lines: readonly string[],
  { findHolder, unitPorts = [] }: { findHolder?: FindHolder | undefined; unitPorts?: readonly number[] } = {},
): Promise<unknown> {
  // The code of a business error already says what to do.
  if (error instanceof AppError || error instanceof ExplainedError) return error;
  const detail = messageOf(error);
  const cause = findCause(detail.split('\n')) ?? findCause(lines);
  if (cause) return explained(cause, cause.port === undefined ? undefined : await findHolder?.(cause.port), error);
  for (const port of unitPorts) {
    const holder = await findHolder?.(port);
    if (holder) return explained(portInUse(port), holder, error);
  }
  return error instanceof Error && error.cause instanceof ExplainedError ? error.cause : error;
}

function explained(
  { code, what, advice }: FailureCause,
  holder: PortHolder | undefined,
  error: unknown,
): ExplainedError {
  const found = { code, title: holder ? `${what} by ${nameOfHolder(holder)}` : what, remedy: advice };
  return new ExplainedError(found, foreignText(messageOf(error)), { cause: error });
}

/** Runs work and explains a failure by the last lines of its output. */
export async function explaining<T>(
  work: Work,
  run: (work: Work) => Promise<T>,
  options: { findHolder?: FindHolder | undefined } = {},
): Promise<T> {
  const lines: string[] = [];
  const log = (line: string): void => {
    lines.push(line);
    if (lines.length > 2 * maxLines) lines.splice(0, maxLines);
    work.log(line);
  };
  try {
    return await run({ log, signal: work.signal });
  } catch (error) {
    if (work.signal.aborted) throw error;
    throw await explain(error, lines.slice(-maxLines), options);
  }
}
