import { OutboundError, type OutboundProblem } from '../../lib/outbound-http/outbound-error.ts';
import { DeliveryError, type SendContext } from './channel.ts';

/** Further attempts can't change these. */
const permanent = new Set<OutboundProblem>(['bad_address', 'blocked']);
/** Statuses below 500 after which the same request may succeed: timeout, too early, too many requests. */
const transientStatuses = new Set([408, 425, 429]);
const maxReplyCharacters = 300;
/** As long as a delivery is repeated: a longer pause would end it. */
const maxRetryAfterMs = 24 * 3_600_000;

/**
 * Posts JSON to a service.
 * @param address checked when the channel was saved
 * @returns the status and the beginning of the answer
 * @throws DeliveryError; the signal's reason when aborted
 */
export async function postJson(
  address: string,
  body: string,
  { connectWeb, timeoutMs, signal }: SendContext,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  let maybeSent = false;
  // It loads undici, which a manager without channels does not need.
  const { post } = await import('../../lib/outbound-http/post.ts');
  const answer = await post(connectWeb, new URL(address), {
    headers: { 'content-type': 'application/json', accept: '*/*', ...headers },
    body,
    timeoutMs,
    signal,
    onSending: () => {
      maybeSent = true;
    },
  }).catch((cause: unknown) => {
    if (!(cause instanceof OutboundError)) {
      // Only a stop of the manager ends it without an error of its own.
      throw new DeliveryError('The manager stopped', { retry: true, maybeSent, cause });
    }
    throw new DeliveryError(cause.message, { retry: !permanent.has(cause.problem), maybeSent, cause });
  });
  const { status, retryAfter } = answer;
  const text = answer.body.replaceAll(/\s+/g, ' ').trim().slice(0, maxReplyCharacters);
  const said = text ? `${status}: ${text}` : String(status);
  if (status >= 200 && status < 300) return said;
  if (status >= 300 && status < 400)
    throw new DeliveryError(`The service answered with a redirect (${status}), which is not followed`, {
      retry: false,
    });
  const retry = status >= 500 || transientStatuses.has(status);
  throw new DeliveryError(`The service answered ${said}`, {
    retry,
    retryAfterMs: retry ? retryAfterMs(retryAfter, Date.now()) : undefined,
    // A gateway's answer does not say what the service behind it did.
    maybeSent: status >= 500,
  });
}

/**
 * `Retry-After` in milliseconds from now: seconds, which Discord gives with a fraction, or a date. Undefined for what
 * is neither, or longer than a day.
 */
export function retryAfterMs(header: string, now: number): number | undefined {
  const text = header.trim();
  if (text === '') return undefined;
  const seconds = Number(text);
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(text) - now;
  return ms <= maxRetryAfterMs ? Math.max(0, Math.ceil(ms)) : undefined;
}
