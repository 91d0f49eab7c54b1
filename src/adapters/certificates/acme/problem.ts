import { z } from 'zod';
import { retry } from '../../../lib/concurrency/retry.ts';
import { CertificateRefused } from '../certificates.ts';

const hourMs = 3_600_000;
/** The authority's rate limit without a date. */
const rateLimitPauseMs = hourMs;
/** The longest Retry-After we respect. */
const maxDelayMs = 31 * 24 * hourMs;
/** A retry delay up to this is waited for; a longer one ends the attempt. */
const shortPauseMs = 10_000;

const prefix = 'urn:ietf:params:acme:error:';
const text = z.string().max(4_000);
const identifier = z.object({ value: text });
const subproblem = z.object({ type: text.optional(), detail: text.optional(), identifier: identifier.optional() });

/** An authority's account of what went wrong (RFC 7807; RFC 8555, 6.7). */
export const problemSchema = subproblem.extend({
  title: text.optional(),
  subproblems: z.array(subproblem).max(200).optional(),
});
export type Problem = z.infer<typeof problemSchema>;

/** A failure reported by the authority, or on the way to it. */
export class AcmeError extends CertificateRefused {
  /** The problem's type without its prefix, such as `rateLimited`. */
  readonly type: string | undefined;
  /** Worth an immediate retry. */
  readonly transient: boolean;

  constructor(
    message: string,
    options: { type?: string | undefined; transient?: boolean; retryAt?: Date | undefined; cause?: unknown } = {},
  ) {
    super(message, options);
    this.name = 'AcmeError';
    this.type = options.type;
    this.transient = options.transient ?? false;
  }
}

/** In the authority's own words: `a.example: No such host (dns); b.example: …`. */
export function describeProblem(problem: Problem): string {
  const parts = problem.subproblems?.length ? problem.subproblems : [];
  const whole = describeOne(problem, problem.title);
  // A detail that equals its only subproblem is not repeated.
  return [whole, ...parts.map((part) => describeOne(part)).filter((part) => !whole.includes(part))].join('; ');
}

function describeOne(problem: Problem, title?: string): string {
  const type = problem.type ? typeOf(problem.type) : undefined;
  const said = oneLine(problem.detail ?? title ?? 'no reason given');
  const name = problem.identifier ? `${oneLine(problem.identifier.value)}: ` : '';
  return `${name}${said}${type ? ` (${type})` : ''}`;
}

/** A problem's type without the prefix of ACME's own. */
export function typeOf(type: string): string {
  return oneLine(type.startsWith(prefix) ? type.slice(prefix.length) : type);
}

/** Text from an authority goes to log lines and messages. */
function oneLine(words: string): string {
  return words.replaceAll(/\p{Cc}+/gu, ' ').trim();
}

/**
 * The error for an answer of status 400 or more.
 * @param answer.body the body as text, a problem document or anything else
 */
export function answerError(
  answer: { status: number; body: string; retryAfter: string | undefined },
  now: Date,
): AcmeError {
  const problem = readProblem(answer.body);
  const type = problem?.type === undefined ? undefined : typeOf(problem.type);
  const limited = answer.status === 429 || type === 'rateLimited';
  const pause = pauseOf(answer.retryAfter, now) ?? (limited ? rateLimitPauseMs : undefined);
  const said = problem ? describeProblem(problem) : `answered with HTTP status ${answer.status}`;
  return new AcmeError(said, {
    type,
    transient: answer.status >= 500 && (pause ?? 0) <= shortPauseMs,
    retryAt: pause === undefined ? undefined : new Date(now.getTime() + pause),
  });
}

function readProblem(body: string): Problem | undefined {
  try {
    const problem = problemSchema.parse(JSON.parse(body));
    return problem.type || problem.detail || problem.title ? problem : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds of a Retry-After header: seconds, or a date (RFC 9110, 10.2.3). */
function pauseOf(header: string | undefined, now: Date): number | undefined {
  if (header === undefined) return undefined;
  const pause = /^\d+$/.test(header.trim()) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isNaN(pause) ? undefined : Math.min(maxDelayMs, Math.max(0, pause));
}

/**
 * Repeats a request that fails for a transient reason: a dropped connection, an overloaded authority. Every ACME request may be
 * repeated: an order placed twice is the same order or one that expires. @throws the signal's reason when it is aborted
 */
export async function retryRequest<T>(
  request: () => Promise<T>,
  { limits, signal }: { limits: { retryDelaysMs: readonly number[] }; signal: AbortSignal },
): Promise<T> {
  const isTransient = (error: unknown): boolean => error instanceof AcmeError && error.transient;
  try {
    return await retry(request, { delaysMs: limits.retryDelaysMs, signal, isTransient });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
