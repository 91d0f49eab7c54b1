import { io } from 'socket.io-client';

/** Connects to Socket.io with a session's cookie; returns `connected` or the code of the refusal. */
export function socketOutcome(
  url: string,
  {
    cookie,
    origin = url,
    auth,
    transport,
  }: { cookie: string; transport: string; auth: object; origin?: string | undefined },
): Promise<string> {
  return new Promise((resolve) => {
    const socket = io(`${url}/streams`, {
      auth,
      transports: [transport],
      extraHeaders: { cookie, origin },
      reconnection: false,
      forceNew: true,
    });
    const end = (outcome: string): void => {
      socket.close();
      resolve(outcome);
    };
    socket.on('connect', () => end('connected'));
    socket.on('connect_error', (error: Error & { data?: { code: string } }) => end(error.data?.code ?? error.message));
  });
}
