import type { RequestHandler, Response } from 'express';

/** Knows the event streams that are being answered: they have no end of their own that a stop could wait for. */
export function createOpenStreams(): { track: RequestHandler; closeAll(): void } {
  const answers = new Set<Response>();
  return {
    track(_request, response, next) {
      answers.add(response);
      response.once('close', () => answers.delete(response));
      next();
    },
    /** Breaks them off, so that a browser knows to come back. */
    closeAll() {
      for (const response of answers) {
        const type = String(response.getHeader('Content-Type') ?? '');
        if (response.headersSent && type.startsWith('text/event-stream')) response.destroy();
      }
    },
  };
}
