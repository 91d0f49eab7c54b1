import { once } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Container } from 'dockerode';
import type { DatabaseServers, ServerProgram } from '../../runtime.ts';
import { callDocker, translateError } from '../client/errors.ts';
import { framesOf } from '../client/log-frames.ts';
import { exitCodeOf } from './execute.ts';

const keptErrors = 16 * 1024;

/** Starts a program in a running container with streamed input and output. See `DatabaseServers.exec`. */
export async function streamExec(
  container: Container,
  argv: readonly string[],
  { environment, input, signal }: Parameters<DatabaseServers['exec']>[2],
): Promise<ServerProgram> {
  const exec = await callDocker(
    () =>
      container.exec({
        Cmd: [...argv],
        Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
        AttachStdin: input !== undefined,
        AttachStdout: true,
        AttachStderr: true,
      }),
    signal,
  );
  // The bare connection: closing its writing half ends the program's input while its output can still be read.
  const socket: Duplex = await callDocker(() => exec.start({ hijack: true, stdin: input !== undefined }), signal);
  const abort = (): void => void socket.destroy(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const end = Promise.withResolvers<{ exitCode: number | null; errors: string }>();
  end.promise.catch(() => undefined);

  async function* output(): AsyncGenerator<Uint8Array> {
    let errors = '';
    let unread: unknown;
    const feeding = input === undefined ? undefined : write(input, socket);
    feeding?.catch((error: unknown) => {
      // A program that ends early reports why itself; an unreadable input must not look like its end.
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE' || code === 'ECONNRESET') return;
      unread = error;
      socket.destroy();
    });
    try {
      for await (const { stream, content } of framesOf(socket as AsyncIterable<Uint8Array>)) {
        if (stream === 'stdout') yield content;
        else errors = (errors + content.toString('utf8')).slice(-keptErrors);
      }
      signal.throwIfAborted();
      if (unread !== undefined) throw unread;
      end.resolve({ exitCode: await exitCodeOf(exec, signal), errors: errors.trim() });
    } catch (error) {
      const reason = unread ?? translateError(error, signal);
      end.reject(reason);
      throw reason;
    } finally {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      end.reject(new Error(`the output of ${argv[0]} was not read to its end`));
    }
  }

  return { output: output(), ended: end.promise };
}

/** Writes everything with backpressure, then ends the socket's writing half only. */
async function write(source: AsyncIterable<Uint8Array>, socket: Duplex): Promise<void> {
  for await (const chunk of source) {
    if (socket.destroyed) return;
    if (!socket.write(chunk)) await drained(socket);
  }
  socket.end();
}

/** The socket takes more, or will never again. */
async function drained(socket: Duplex): Promise<void> {
  const over = new AbortController();
  const events = ['drain', 'close', 'error'].map((event) => once(socket, event, { signal: over.signal }));
  await Promise.race(events).catch(() => undefined);
  over.abort();
  await Promise.allSettled(events);
}
