import { dataOf } from '../api/client.ts';

/** Gives a file to the browser's downloads. */
export function saveBlob(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  // The download has begun when the click has; some browsers read the address a little later.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

interface FileAnswer {
  data?: Blob | string;
  error?: Parameters<typeof dataOf>[0] extends Promise<{ error?: infer E }> ? E : never;
  response: Response;
}

/** Saves what a request with `parseAs: 'blob'` answers: a link can't bear the session's proof. @throws ApiError */
export async function saveAnswer(asked: Promise<FileAnswer>, fileName: string): Promise<void> {
  const content = await dataOf(asked);
  saveBlob(content instanceof Blob ? content : new Blob([content]), fileName);
}
