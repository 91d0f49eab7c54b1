import createClient from 'openapi-fetch';
import { text } from '../text/en.ts';
import { ApiError } from './api-error.ts';
import type { components, paths } from './schema.ts';

const proofKey = 'tenantry.csrf';

/** The session's proof: this half is the page's, the other half a cookie that no script can read. */
export const sessionProof = {
  get: (): string => localStorage.getItem(proofKey) ?? '',
  set: (proof: string): void => localStorage.setItem(proofKey, proof),
  clear: (): void => localStorage.removeItem(proofKey),
};

const client = createClient<paths>({ baseUrl: '', fetch: (request) => fetch(request) });
client.use({
  onRequest({ request }) {
    const proof = sessionProof.get();
    if (proof) request.headers.set('X-CSRF-Token', proof);
    return request;
  },
});
export const api = client;

type Listener = () => void;
let sessionEnded: Listener = () => undefined;
export const endSession = (): void => sessionEnded();
/** Told when the manager no longer knows who asks. */
export const onSessionEnd = (listener: Listener): void => {
  sessionEnded = listener;
};

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
  const failure = new ApiError({
    status: response.status,
    code: error?.code ?? 'unexpected',
    message: error?.detail ?? text.errors.unexpected,
    issues: error?.issues,
    requestId: response.headers.get('X-Request-Id') ?? undefined,
  });
  if (failure.status === 401 && failure.code !== 'invalid_credentials') sessionEnded();
  throw failure;
}

export type Tenant = components['schemas']['TenantListItem'];
export type FullTenant = components['schemas']['Tenant'];
export type DeploymentSummary = components['schemas']['DeploymentSummary'];
export type Deployment = components['schemas']['Deployment'];
export type HealthReport = components['schemas']['HealthReport'];
