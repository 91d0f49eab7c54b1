import createClient from 'openapi-fetch';
import { text } from '../lib/messages.ts';
import { ApiError } from './api-error.ts';
import type { components, paths } from './schema.ts';

const proofKey = 'tenantry.csrf';
const proofHeader = 'X-CSRF-Token';

/**
 * The session's proof: the page's half of it; the other half is a cookie that scripts can't read. Only signing out removes it, and the
 * next session replaces it: other tabs can distinguish an expired session from a sign-out.
 */
export const sessionProof = {
  get: (): string => localStorage.getItem(proofKey) ?? '',
  set: (proof: string): void => localStorage.setItem(proofKey, proof),
  clear: (): void => localStorage.removeItem(proofKey),
  /** Reports changes by other tabs (null: signed out) until the returned function is called. */
  watch(onChange: (proof: string | null) => void): () => void {
    const changed = ({ key, newValue }: StorageEvent): void => {
      if (key === proofKey) onChange(newValue);
    };
    addEventListener('storage', changed);
    return () => removeEventListener('storage', changed);
  },
};

type Listener = () => void;
let sessionEnded: Listener = () => undefined;
/** The manager rejects this proof. A late response to an older session's request must not end a newer session. */
export const endSession = (proof: string): void => {
  if (proof && proof === sessionProof.get()) sessionEnded();
};
/** Called when the manager no longer accepts the session. */
export const onSessionEnd = (listener: Listener): void => {
  sessionEnded = listener;
};

/** After this time without input the page's requests count as automatic: they must not postpone the session's idle timeout. */
const activeForMs = 5 * 60_000;
let lastInput = Date.now();
const noteInput = (): void => {
  lastInput = Date.now();
};
for (const type of ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const) {
  addEventListener(type, noteInput, { capture: true, passive: true });
}

const client = createClient<paths>({ baseUrl: '', fetch: (request) => fetch(request) });
client.use({
  onRequest({ request }) {
    const proof = sessionProof.get();
    if (proof) request.headers.set(proofHeader, proof);
    if (Date.now() - lastInput > activeForMs) request.headers.set('X-Background-Request', 'true');
    return request;
  },
  onResponse({ request, response, schemaPath }) {
    // A wrong password has the same status code.
    const isSignIn = request.method === 'POST' && schemaPath === '/api/auth/session';
    if (response.status === 401 && !isSignIn) endSession(request.headers.get(proofHeader) ?? '');
  },
});
export const api = client;

interface Answer<T> {
  data?: T;
  error?: components['schemas']['Error'];
  response: Response;
}

/** The data of an answer. @throws ApiError */
export async function dataOf<T>(asked: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await asked.catch(() => {
    throw new ApiError({ status: 0, code: 'network', message: text.errors.network });
  });
  if (data !== undefined) return data;
  throw new ApiError({
    status: response.status,
    code: error?.code ?? 'unexpected',
    message: error?.detail ?? text.errors.unexpected,
    issues: error?.issues,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
  });
}

export type Tenant = components['schemas']['TenantListItem'];
export type FullTenant = components['schemas']['Tenant'];
export type DeploymentSummary = components['schemas']['DeploymentSummary'];
export type Deployment = components['schemas']['Deployment'];
export type HealthReport = components['schemas']['HealthReport'];
