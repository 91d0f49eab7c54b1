import { readFile } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import type { Answer, App } from '../app/app.ts';
import { until } from './tenants.ts';

export interface MappingAnswer {
  source: string;
  target: string;
  confidence: number;
  transform?: string;
  reason?: string;
}

export interface StatusAnswer {
  job_id: string;
  status: string;
  progress: {
    total: number;
    processed: number;
    success: number;
    failed: number;
    duplicates: number;
    updated: number;
    retry?: { attempt: number; next_attempt_at: string; reason: string };
  };
  import_result: (StatusAnswer['progress'] & { batch_id: string; imported: number; error?: string }) | null;
}

export interface UploadAnswer {
  job_id: string;
  filename: string;
  status: string;
  row_count: number;
  sheet: string | null;
  warnings: string[];
  code?: string;
  detail?: string;
}

/** The list loader's address of a tenant, or of one of its lists. */
export const listPath = (tenantId: string, rest: string): string => `/api/tenants/${tenantId}/list-loader/${rest}`;

/** A form with a file and other fields. */
export function listForm(
  content: string | Uint8Array<ArrayBuffer>,
  name = 'list.csv',
  fields: Record<string, string> = {},
) {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new Blob([content]), name);
  return form;
}

/** Sends a form as a browser would. */
export async function sendForm<T = UploadAnswer>(
  app: Pick<App, 'url' | 'token'>,
  path: string,
  form: FormData,
  token = app.token,
): Promise<Answer<T>> {
  const response = await fetch(app.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as T };
}

/** Sends a form without Content-Length; returns the status. */
export async function sendUnannounced(
  app: Pick<App, 'url' | 'token'>,
  path: string,
  content: string,
): Promise<number | undefined> {
  const request = httpRequest(app.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${app.token}`, 'content-type': 'multipart/form-data; boundary=x' },
  });
  const answer = new Promise<number | undefined>((resolve, reject) => {
    request.once('response', (response) => resolve(response.resume().statusCode)).once('error', reject);
  });
  request.write('--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n');
  request.write(content);
  request.end('\r\n--x--\r\n');
  return answer;
}

export async function upload(
  app: Pick<App, 'url' | 'token'>,
  tenantId: string,
  content: string | Uint8Array<ArrayBuffer>,
  name?: string,
): Promise<UploadAnswer> {
  const { status, body } = await sendForm(app, listPath(tenantId, 'upload'), listForm(content, name));
  if (status !== 201) throw new Error(`The upload was refused: ${status} ${JSON.stringify(body)}`);
  return body;
}

export const uploadFile = async (app: Pick<App, 'url' | 'token'>, tenantId: string, path: string, name?: string) =>
  upload(app, tenantId, new Uint8Array(await readFile(path)), name);

type Caller = Pick<App, 'call'>;

/** Requests mappings and waits for them. */
export async function analyze(app: Caller, tenantId: string, jobId: string): Promise<MappingAnswer[]> {
  const { status, body } = await app.call('POST', listPath(tenantId, `${jobId}/analyze`));
  if (status !== 202) throw new Error(`The analysis was refused: ${status} ${JSON.stringify(body)}`);
  const found = await until(
    () => app.call<{ status: string; mappings: MappingAnswer[] }>('GET', listPath(tenantId, `${jobId}/mappings`)),
    (answer) => answer.body.status !== 'analyzing',
  );
  return found.body.mappings;
}

export const statusOf = async (app: Caller, tenantId: string, jobId: string): Promise<StatusAnswer> =>
  (await app.call<StatusAnswer>('GET', listPath(tenantId, `${jobId}/status`))).body;

/** Starts an import. */
export async function askImport(app: Caller, tenantId: string, jobId: string, body: object = {}): Promise<void> {
  const answer = await app.call('POST', listPath(tenantId, `${jobId}/execute`), { body });
  if (answer.status !== 202) throw new Error(`The import was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Waits until an import has ended. */
export const endOfImport = (app: Caller, tenantId: string, jobId: string): Promise<StatusAnswer> =>
  until(
    () => statusOf(app, tenantId, jobId),
    ({ status }) => status !== 'importing',
  );

export async function execute(app: Caller, tenantId: string, jobId: string, body: object = {}): Promise<StatusAnswer> {
  await askImport(app, tenantId, jobId, body);
  return endOfImport(app, tenantId, jobId);
}
