import type { Response } from 'express';
import { AppError } from '../../errors.ts';

/**
 * Answers with a file as a download, or with the range of it that was asked for.
 * @param as.etag names this very content
 * @throws AppError not_found where the file is gone
 */
export function sendFile(
  response: Response,
  path: string,
  as: { mediaType: string; name: string; etag: string },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  response.attachment(as.name).set({ 'Content-Type': as.mediaType, ETag: `"${as.etag}"` });
  // Our own directory may lie below one whose name begins with a dot.
  const options = { dotfiles: 'allow', cacheControl: false, lastModified: false } as const;
  response.sendFile(path, options, (error?: Error & { status?: number; headers?: Record<string, string> }) => {
    // A client that disconnected gets no answer.
    if (!error || response.headersSent) return resolve();
    for (const name of ['Content-Disposition', 'ETag']) response.removeHeader(name);
    if (error.status === 416) {
      // No error body: a client that resumes a download learns here that it already has all of it.
      response
        .status(416)
        .set(error.headers ?? {})
        .end();
      return resolve();
    }
    reject(error.status === 404 ? new AppError('not_found', 'The file is gone') : error);
  });
  return promise;
}
