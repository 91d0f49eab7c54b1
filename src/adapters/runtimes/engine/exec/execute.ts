import type { Container, Exec } from 'dockerode';
import { poll } from '../../../../lib/concurrency/poll.ts';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { LineSplitter } from '../../../../lib/files/lines.ts';
import { callDocker, translateError } from '../client/errors.ts';
import { framesOf } from '../client/log-frames.ts';

/** The engine records an exit code shortly after the output has ended. */
const noteWithinMs = 10_000;

/**
 * Runs a program in a running container; each line of its output goes to `work.log`. Returns its exit code, null when the
 * engine has none (the container was killed). An aborted signal ends the following, not the program.
 * @throws the signal's reason when aborted
 */
export async function execute(container: Container, argv: readonly string[], work: Work): Promise<number | null> {
  const { signal } = work;
  const exec = await callDocker(
    () => container.exec({ Cmd: [...argv], AttachStdout: true, AttachStderr: true, abortSignal: signal }),
    signal,
  );
  const output = await callDocker(() => exec.start({ abortSignal: signal }), signal);
  // Reads the output first, or the rest of it would be lost. The engine itself ends it 2 s after the program, should a child
  // process hold it open.
  await forwardLines(output, work);
  return exitCodeOf(exec, signal);
}

/** The exit code of a program whose output has ended; null when the engine has none. */
export async function exitCodeOf(exec: Exec, signal: AbortSignal): Promise<number | null> {
  const ended = await poll(
    async () => {
      const { Running: running, ExitCode: exitCode } = await callDocker(() => exec.inspect(), signal);
      return running ? undefined : { exitCode };
    },
    { timeoutMs: noteWithinMs, intervalMs: 20, signal },
  );
  if (!ended) throw new Error('the engine does not report how it ended');
  return ended.exitCode;
}

/** Both streams line by line, until both have ended. */
async function forwardLines(source: AsyncIterable<Uint8Array | string>, { log, signal }: Work): Promise<void> {
  const splitters = { stdout: new LineSplitter(), stderr: new LineSplitter() };
  try {
    for await (const { stream, content } of framesOf(source))
      for (const line of splitters[stream].push(content)) log(line);
  } catch (error) {
    throw translateError(error, signal);
  } finally {
    for (const splitter of [splitters.stdout, splitters.stderr]) for (const line of splitter.end()) log(line);
  }
}
