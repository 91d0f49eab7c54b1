import type { RequestHandler, Response } from 'express';

/** The event streams that are being answered: they have no end of their own. */
export interface OpenStreams {
  track: RequestHandler;
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
    closeAll() {
      for (const answer of streams()) answer.destroy();
    },
  };
}
