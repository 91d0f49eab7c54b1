import { AsyncLocalStorage } from 'node:async_hooks';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { actingDeadline } from '../../../lib/concurrency/acting-deadline.ts';
import { messageOf } from '../../../lib/errors.ts';
import { AcmeError, answerError } from './problem.ts';

/** OpenSSL's codes of an untrusted certificate. */
const untrusted = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'INVALID_CA',
]);
const lasting = new Set([
  'ENOTFOUND',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'EPROTO',
]);

/** The error when the authority does not answer: what failed, and which setting to check. */
export function connectionError(error: unknown, hasOwnBundle: boolean): AcmeError {
  const code = codeOf(error);
  if (untrusted.has(code)) {
    const advice = hasOwnBundle
      ? 'ACME_CA_FILE does not hold the root certificate it is signed by'
      : 'where the authority is your own, name its root certificates by ACME_CA_FILE';
    return new AcmeError(`its TLS certificate is not trusted (${wordsOf(error)}): ${advice}`, { cause: error });
  }
  const transient = !lasting.has(code) && !code.startsWith('ERR_SSL_') && !code.startsWith('HPE_');
  return new AcmeError(`it cannot be reached: ${wordsOf(error)}`, { transient, cause: error });
}

function codeOf(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** A name with several addresses fails with one error each, and no message of its own. */
function wordsOf(error: unknown): string {
  const several = typeof error === 'object' && error !== null && 'errors' in error ? error.errors : undefined;
  return Array.isArray(several) ? several.map(messageOf).join('; ') : messageOf(error);
}

/**
 * acme-client uses the process's axios instance, which retries on its own (five times, as long as a Retry-After says), cannot
 * be aborted, obeys HTTP_PROXY and drops all of a problem document except its detail. So we set that instance's adapter: every
 * request is made here, with the options of its own work, and ends with it.
 */
type AcmeClientModule = typeof import('acme-client');
type Adapter = Extract<AcmeClientModule['axios']['defaults']['adapter'], (config: never) => unknown>;

/** The context of the requests of one operation. */
interface Conversation {
  agent: Agent;
  directoryUrl: string;
  hasOwnBundle: boolean;
  signal: AbortSignal;
  requestMs: number;
  now(): Date;
}

const maxBytes = 1024 * 1024;
const conversations = new AsyncLocalStorage<Conversation>();

/** The fields of a directory that we use (RFC 8555, 7.1.1). */
const directorySchema = z.object({ newNonce: z.url(), newAccount: z.url(), newOrder: z.url(), revokeCert: z.url() });

let loading: Promise<AcmeClientModule> | undefined;

/** Loads acme-client on first use (38 MB, 170 ms) and takes over its requests. */
export async function loadAcmeClient(): Promise<AcmeClientModule> {
  loading ??= import('acme-client').then((acme) => {
    acme.axios.defaults.adapter = adapter;
    return acme;
  });
  return loading;
}

/**
 * Runs work that uses acme-client. Its requests trust only `caBundle` if given, else the system's authorities; they end with
 * the signal, and after `requestMs` each.
 */
export async function converse<T>(
  options: Omit<Conversation, 'agent' | 'hasOwnBundle'> & { caBundle: string | undefined },
  work: () => Promise<T>,
): Promise<T> {
  const { caBundle, ...rest } = options;
  const agent = new Agent({
    connect: { timeout: options.requestMs, ...(caBundle === undefined ? {} : { ca: caBundle }) },
    maxResponseSize: maxBytes,
  });
  try {
    return await conversations.run({ ...rest, agent, hasOwnBundle: caBundle !== undefined }, work);
  } finally {
    await agent.destroy();
  }
}

const adapter: Adapter = async (config) => {
  const conversation = conversations.getStore();
  if (!conversation) throw new Error('acme-client was used outside of converse()');
  const url = config.url ?? '';
  const { status, headers, body } = await exchange(conversation, {
    url,
    method: config.method?.toUpperCase() === 'HEAD' ? 'HEAD' : config.data === undefined ? 'GET' : 'POST',
    contentType: String(config.headers.get('content-type') ?? 'application/jose+json'),
    body: typeof config.data === 'string' ? config.data : undefined,
  });
  if (status >= 300 && status < 400)
    throw new AcmeError(`${url} redirects to ${headers.location ?? 'nowhere'}: set that address as the directory`);
  if (status >= 400 && !isBadNonce(status, body))
    throw answerError({ status, body, retryAfter: headers['retry-after'] }, conversation.now());
  if (url === conversation.directoryUrl) checkDirectory(body);
  return { data: body, status, statusText: '', headers, config };
};

interface Exchange {
  url: string;
  method: 'GET' | 'HEAD' | 'POST';
  contentType: string;
  body: string | undefined;
}

async function exchange(
  conversation: Conversation,
  { url, method, contentType, body }: Exchange,
): Promise<{ status: number; headers: Record<string, string>; body: string }> {
  const { agent, signal, requestMs } = conversation;
  actingDeadline.check();
  try {
    const answer = await request(url, {
      dispatcher: agent,
      signal,
      method,
      headers: { 'content-type': contentType, 'user-agent': 'tenantry', accept: '*/*' },
      body: body ?? null,
      headersTimeout: requestMs,
      bodyTimeout: requestMs,
    });
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [
        name,
        Array.isArray(value) ? value.join(', ') : (value ?? ''),
      ]),
    );
    return { status: answer.statusCode, headers, body: await answer.body.text() };
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(error, conversation.hasOwnBundle);
  }
}

/** acme-client retries this one itself, with a fresh nonce. */
function isBadNonce(status: number, body: string): boolean {
  return status === 400 && body.includes('urn:ietf:params:acme:error:badNonce');
}

function checkDirectory(body: string): void {
  try {
    directorySchema.parse(JSON.parse(body));
  } catch (error) {
    throw new AcmeError('the response is not an ACME directory (RFC 8555): check the address of the directory', {
      cause: error,
    });
  }
}
