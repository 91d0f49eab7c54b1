import type { Duplex } from 'node:stream';
import type { Container } from 'dockerode';
import { poll } from '../../../../lib/concurrency/poll.ts';
import type { DatabaseServers, ServerProgram } from '../../runtime.ts';
import { callDocker, translateError } from '../client/errors.ts';
import { framesOf } from '../client/log-frames.ts';

type ExecOptions = Parameters<DatabaseServers['exec']>[2];

const keptErrors = 16 * 1024;
/** The engine notes an exit code a moment after the output has ended. */
const noteWithinMs = 10_000;

/** Starts a program in a running container, to stream into and out of it. See `DatabaseServers.exec`. */
export async function streamExec(
  container: Container,
  argv: readonly string[],
  { environment, input, signal }: ExecOptions,
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
  // The bare connection: half of it can be ended, so that the program sees the end of its input and still can be heard.
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
      // A program that ended early says why itself; what could not be read must not look like its end.
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
      const ended = await poll(
        async () => {
          const { Running: running, ExitCode: exitCode } = await callDocker(() => exec.inspect(), signal);
          return running ? undefined : { exitCode };
        },
        { timeoutMs: noteWithinMs, intervalMs: 20, signal },
      );
      if (!ended) throw new Error('the engine does not tell how it ended');
      end.resolve({ exitCode: ended.exitCode, errors: errors.trim() });
    } catch (error) {
      const reason = unread ?? translateError(error, signal);
      end.reject(reason);
      throw reason;
    } finally {
      signal.removeEventListener('abort', abort);
      socket.destroy();
      end.reject(new Error(`${argv[0]} was not listened to until its end`));
    }
  }

  return { output: output(), ended: end.promise };
}

/** Writes all of it, no faster than it is taken, then ends the socket's own half only. */
async function write(source: AsyncIterable<Uint8Array>, socket: Duplex): Promise<void> {
  for await (const chunk of source) {
    if (socket.destroyed) return;
    if (!socket.write(chunk)) await drained(socket);
  }
  socket.end();
}

function drained(socket: Duplex): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const events = ['drain', 'close', 'error'];
  const done = (): void => {
    for (const event of events) socket.off(event, done);
    resolve();
  };
  for (const event of events) socket.on(event, done);
  return promise;
}
