import { type FailureCause, findCause, portInUse } from '../../../adapters/runtimes/failure-causes.ts';
import type { PortHolder } from '../../../adapters/runtimes/port-holder.ts';
import { AppError, ExplainedError, messageOf } from '../../../lib/errors.ts';
import type { Work } from '../dependencies.ts';

/** Lines of output in which a cause is looked for. */
const kept = 100;

/** Finds what holds a port of this machine. */
type FindHolder = (port: number) => Promise<PortHolder | undefined>;

/**
 * The failure with its cause in plain words, where its message or the last lines of output tell one; else the failure as it is.
 * @param unitPorts ports that a unit which does not stay up may not have got, though it did not say so
 */
export async function explain(
  error: unknown,
  lines: readonly string[],
  { findHolder, unitPorts = [] }: { findHolder?: FindHolder | undefined; unitPorts?: readonly number[] } = {},
): Promise<unknown> {
  // A business error says what to do by its code.
  if (error instanceof AppError || error instanceof ExplainedError) return error;
  const detail = messageOf(error);
  const cause = findCause(detail.split('\n')) ?? findCause(lines);
  if (cause) return explained(cause, cause.port === undefined ? undefined : await findHolder?.(cause.port), error);
  for (const port of unitPorts) {
    const holder = await findHolder?.(port);
    if (holder) return explained(portInUse(port), holder, error);
  }
  return error;
}

function explained({ what, advice }: FailureCause, holder: PortHolder | undefined, error: unknown): ExplainedError {
  const by = holder && (holder.slug === null ? holder.name : `tenant ${holder.slug}, ${holder.name}`);
  return new ExplainedError(`${what}${by ? ` by ${by}` : ''}. ${advice}.`, messageOf(error), { cause: error });
}

/** Runs work, and explains its failure by what it said last. */
export async function explaining<T>(
  work: Work,
  run: (work: Work) => Promise<T>,
  options: { findHolder?: FindHolder | undefined } = {},
): Promise<T> {
  const lines: string[] = [];
  const log = (line: string): void => {
    lines.push(line);
    if (lines.length > 2 * kept) lines.splice(0, kept);
    work.log(line);
  };
  try {
    return await run({ log, signal: work.signal });
  } catch (error) {
    if (work.signal.aborted) throw error;
    throw await explain(error, lines.slice(-kept), options);
  }
}
