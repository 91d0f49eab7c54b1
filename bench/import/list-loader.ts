import { openAsBlob } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminPassword, type Manager, residentMb } from '../harness/manager.ts';
import { mappings } from './voter-list.ts';

export interface Loaded {
  id: string;
  rows: number;
}

/** The list loader of one tenant, used through the API. */
export interface ListLoader {
  /** Uploads a list and sets its mappings. */
  upload(path: string): Promise<Loaded>;
  validate(list: Loaded): Promise<{ total: number; valid_count: number }>;
  /** Imports a list and waits for the end. */
  execute(list: Loaded): Promise<{ success: number; duplicates: number; failed: number }>;
}

export async function listLoader({ client, url }: Manager, tenantId: string): Promise<ListLoader> {
  const path = (rest: string): string => `/api/tenants/${tenantId}/list-loader/${rest}`;
  const { access_token } = await client.call<{ access_token: string }>('POST', '/api/auth/login', {
    username: 'admin',
    password: adminPassword,
  });
  return {
    async upload(file) {
      const form = new FormData();
      form.append('file', await openAsBlob(file), file.split('/').at(-1));
      const headers = { authorization: `Bearer ${access_token}` };
      const response = await fetch(url + path('upload'), { method: 'POST', headers, body: form });
      const { job_id, row_count, detail } = (await response.json()) as {
        job_id: string;
        row_count: number;
        detail?: string;
      };
      if (!response.ok) throw new Error(`The upload was refused: ${response.status} ${detail ?? ''}`);
      await client.call('PUT', path(`${job_id}/mappings`), { mappings });
      return { id: job_id, rows: row_count };
    },
    validate: ({ id }) => client.call('POST', path(`${id}/validate`)),
    async execute({ id }) {
      await client.call('POST', path(`${id}/execute`), {});
      for (;;) {
        const { status, progress, import_result } = await client.call<{
          status: string;
          progress: { success: number; duplicates: number; failed: number };
          import_result: { error?: string } | null;
        }>('GET', path(`${id}/status`));
        if (status === 'completed') return progress;
        if (status === 'failed') throw new Error(`The import failed: ${import_result?.error}`);
        await sleep(200);
      }
    },
  };
}

/** Runs `work` and measures its seconds and the manager's peak memory. */
export async function watched<T>(
  pid: number,
  work: () => Promise<T>,
): Promise<{ result: T; seconds: number; peakMb: number }> {
  let done = false;
  let peakMb = 0;
  const watching = (async () => {
    for (; !done; await sleep(50)) peakMb = Math.max(peakMb, await residentMb(pid));
  })();
  const began = performance.now();
  try {
    const result = await work();
    return { result, seconds: (performance.now() - began) / 1000, peakMb };
  } finally {
    done = true;
    await watching;
  }
}
