import { actingDeadline } from '../concurrency/acting-deadline.ts';
import { hostOf, portOf } from './address.ts';
import { createGuardedAgent, translateFailure } from './agent.ts';
import type { Connect } from './connect.ts';
import { OutboundError } from './outbound-error.ts';

export interface PostRequest {
  headers: Readonly<Record<string, string>>;
  body: string;
  /** For the whole request with its answer. */
  timeoutMs: number;
  signal: AbortSignal;
  /** Called just before the request is written: from here on the receiver may have acted on it. */
  onSending?(): void;
}

export interface Posted {
  status: number;
  /** Empty if missing. */
  retryAfter: string;
  /** Its first 4 KiB. */
  body: string;
}

const maxAnswerBytes = 4_096;

/**
 * Posts to an address over a connection of its own. A redirect is an answer like any other: it is not followed.
 * @throws OutboundError; the signal's reason when aborted
 */
export async function post(connect: Connect, url: URL, request: PostRequest): Promise<Posted> {
  const { headers, body, timeoutMs, onSending } = request;
  const { agent, close } = createGuardedAgent(connect, () => {
    actingDeadline.check();
    onSending?.();
  });
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      signal: AbortSignal.any([request.signal, late]),
      headers: { 'user-agent': 'Tenantry', ...headers },
      body,
    });
    return {
      status: answer.statusCode,
      retryAfter: [answer.headers['retry-after']].flat()[0] ?? '',
      body: await beginningOf(answer.body),
    };
  } catch (error) {
    request.signal.throwIfAborted();
    if (late.aborted) throw new OutboundError('timeout', `${hostOf(url)} did not answer in time`, error);
    throw translateFailure(error, { host: hostOf(url), port: portOf(url) });
  } finally {
    await close();
  }
}

/** The beginning of a body; of one that breaks off, what came. The status has answered the request already. */
async function beginningOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body) {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= maxAnswerBytes) break;
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8');
}
