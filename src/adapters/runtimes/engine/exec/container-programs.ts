import Docker from 'dockerode';
import type { ProgramResult } from '../../../../lib/spawn.ts';
import { connection, type EngineAddress } from '../client/docker-client.ts';
import { DockerApiError } from '../client/errors.ts';
import { execute } from './execute.ts';

type RunInContainer = (
  argv: readonly string[],
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
) => Promise<ProgramResult>;

/** As much of the output as for a local program. */
const keptOutput = 64 * 1024;

/**
 * Runs programs in a running container as its own user, by argument array. The engine can't end such a program: after an abort
 * or timeout nothing waits for it, and it ends when it likes.
 * @throws (the function) the signal's reason when aborted; Error when the container is missing, stopped or paused; AppError
 * runtime_unavailable
 */
export function createContainerPrograms({
  engine,
  container,
}: {
  /** Default: the engine's socket at the usual path. */
  engine?: EngineAddress | undefined;
  /** The container's name; it need not exist yet, and may be created again at any time. */
  container: string;
}): RunInContainer {
  const docker = new Docker(connection(engine ?? {}));

  return async (argv, { timeoutMs, signal }) => {
    const timeUp = AbortSignal.timeout(timeoutMs);
    const ended = signal ? AbortSignal.any([signal, timeUp]) : timeUp;
    let output = '';
    const log = (line: string): void => {
      output = `${output}${line}\n`.slice(-keptOutput);
    };
    try {
      const exitCode = await execute(docker.getContainer(container), argv, { log, signal: ended });
      return { exitCode, output, timedOut: false };
    } catch (error) {
      signal?.throwIfAborted();
      if (timeUp.aborted) return { exitCode: null, output, timedOut: true };
      throw refused(container, error);
    }
  };
}

function refused(container: string, error: unknown): unknown {
  if (!(error instanceof DockerApiError)) return error;
  if (error.status === 404) return new Error(`No container named ${container} is at the engine`, { cause: error });
  return new Error(`Nothing can be run in the container ${container}: ${error.message}`, { cause: error });
}
