import { ApiError } from '../../../api/api-error.ts';
import { endSession, sessionProof } from '../../../api/client.ts';
import type { components } from '../../../api/schema.ts';
import { text } from '../../../lib/messages.ts';

interface UploadOptions {
  /** Called with the bytes sent so far; `all` when the manager has received all of them. */
  onSent(sent: number, all: number): void;
  signal: AbortSignal;
}

/**
 * Sends a list. By XMLHttpRequest: `fetch` does not report how much of a body was sent.
 * @returns the id of the list's job
 * @throws ApiError; the signal's reason
 */
export function uploadList(tenantId: string, file: File, { onSent, signal }: UploadOptions): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const form = new FormData();
  form.append('file', file, file.name);
  const request = new XMLHttpRequest();
  request.open('POST', `/api/tenants/${encodeURIComponent(tenantId)}/list-loader/upload`);
  const proof = sessionProof.get();
  request.setRequestHeader('X-CSRF-Token', proof);
  request.responseType = 'json';
  request.upload.onprogress = ({ loaded, total }) => onSent(Math.min(loaded, total), total);
  request.upload.onload = ({ total }) => onSent(total, total);
  request.onload = () => {
    const body = request.response as { job_id: string } | components['schemas']['Error'] | null;
    if (request.status === 201 && body && 'job_id' in body) resolve(body.job_id);
    else reject(refusal(request, body && 'code' in body ? body : undefined));
    if (request.status === 401) endSession(proof);
  };
  request.onerror = () => reject(new ApiError({ status: 0, code: 'network', message: text.errors.network }));
  request.onabort = () => reject(signal.reason);
  signal.addEventListener('abort', () => request.abort(), { once: true });
  request.send(form);
  return promise;
}

function refusal(request: XMLHttpRequest, body: components['schemas']['Error'] | undefined): ApiError {
  return new ApiError({
    status: request.status,
    code: body?.code ?? 'unexpected',
    message: body?.detail ?? text.errors.unexpected,
    issues: body?.issues,
    requestId: request.getResponseHeader('X-Request-Id') ?? undefined,
  });
}
