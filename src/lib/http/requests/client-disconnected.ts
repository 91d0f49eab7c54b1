import type { IncomingMessage, ServerResponse } from 'node:http';

/** The client closed the connection before it was answered: not an error of the manager's, and no one to answer. */
export class ClientDisconnectedError extends Error {
  constructor(options?: ErrorOptions) {
    super('The client closed the connection', options);
    this.name = 'ClientDisconnectedError';
  }
}

/** Whether a request ended before all of its body arrived. */
export const isDisconnected = ({ destroyed, complete }: IncomingMessage): boolean => destroyed && !complete;

/** Aborts with a `ClientDisconnectedError` when the connection closes. */
export function disconnectSignal(response: ServerResponse): AbortSignal {
  const disconnected = new AbortController();
  response.once('close', () => disconnected.abort(new ClientDisconnectedError()));
  return disconnected.signal;
}
