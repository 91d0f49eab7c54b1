import type { Request, RequestHandler, Response } from 'express';

/** The event streams that are being answered: they have no end of their own, and outlive the check of their token. */
export interface OpenStreams {
  track: RequestHandler;
  /** Ends those whose caller is refused by now. */
  closeRefused(isRefused: (request: Request) => Promise<boolean>): Promise<void>;
  /** Breaks them off, so that a browser knows to come back. */
  closeAll(): void;
}

export function createOpenStreams(): OpenStreams {
  const answers = new Set<Response>();
  const streams = (): Response[] =>
    [...answers].filter((answer) => {
      const type = String(answer.getHeader('Content-Type') ?? '');
      return answer.headersSent && type.startsWith('text/event-stream');
    });
  return {
    track(_request, response, next) {
      answers.add(response);
      response.once('close', () => answers.delete(response));
      next();
    },
    async closeRefused(isRefused) {
      for (const answer of streams()) if (await isRefused(answer.req)) answer.destroy();
    },
    closeAll() {
      for (const answer of streams()) answer.destroy();
    },
  };
}
