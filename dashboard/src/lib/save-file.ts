import { api, dataOf } from '../api/client.ts';

/** Starts a browser download. */
export function saveBlob(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // Some browsers read the address a moment after the click.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

interface FileAnswer {
  data?: Blob | string;
  error?: Parameters<typeof dataOf>[0] extends Promise<{ error?: infer E }> ? E : never;
  response: Response;
}

/** Downloads the short text of a response to a request with `parseAs: 'blob'`. @throws ApiError */
export async function saveAnswer(asked: Promise<FileAnswer>, fileName: string): Promise<void> {
  const content = await dataOf(asked);
  saveBlob(content instanceof Blob ? content : new Blob([content]), fileName);
}

/**
 * Lets the browser download a file from the manager, streamed to disk. Requests one byte first, since the browser
 * would not show why a download was rejected.
 * @param path of a route that takes tickets @throws ApiError
 */
export async function download(path: string): Promise<void> {
  // The path is complete: it has no parameters to fill in.
  const route = path as '/api/tenants/{id}/backups/{backup_id}/download';
  const params = { path: { id: '', backup_id: '' } };
  await dataOf(api.GET(route, { params, parseAs: 'text', headers: { Range: 'bytes=0-0' } }));
  const { ticket } = await dataOf(api.POST('/api/auth/tickets', { body: { path } }));
  const link = document.createElement('a');
  link.href = `${path}?${new URLSearchParams({ ticket })}`;
  link.download = '';
  link.click();
}
