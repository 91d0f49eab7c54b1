import type Docker from 'dockerode';
import type { ProgramResult } from '../../../../lib/spawn.ts';
import { connect, connection, type EngineAddress } from '../client/docker-client.ts';
import { callDocker, DockerApiError } from '../client/errors.ts';
import { execute } from './execute.ts';

type RunInContainer = (
  argv: readonly string[],
  options: { timeoutMs: number; signal?: AbortSignal | undefined },
) => Promise<ProgramResult>;

/** The container's name, or a Swarm service with a task on this engine: it need not exist yet, and may be created again at any time. */
type ContainerPlace = { container: string } | { service: string };

/** As much of the output as for a local program. */
const keptOutput = 64 * 1024;

/**
 * Runs programs in a running container as its own user, by argument array. The engine can't end such a program: after an abort
 * or timeout nothing waits for it, and it ends when it likes.
 * @param engine default: its socket at the usual path
 * @throws (the function) the signal's reason when aborted; Error when the container is missing, stopped or paused; AppError
 * runtime_unavailable
 */
export function createContainerPrograms(place: ContainerPlace, engine: EngineAddress = {}): RunInContainer {
  const docker = connect(connection(engine));

  return async (argv, { timeoutMs, signal }) => {
    const timeUp = AbortSignal.timeout(timeoutMs);
    const ended = signal ? AbortSignal.any([signal, timeUp]) : timeUp;
    let output = '';
    const log = (line: string): void => {
      output = `${output}${line}\n`.slice(-keptOutput);
    };
    try {
      const id = 'container' in place ? place.container : await containerOf(docker, place.service);
      const exitCode = await execute(docker.getContainer(id), argv, { log, signal: ended });
      return { exitCode, output, timedOut: false };
    } catch (error) {
      signal?.throwIfAborted();
      if (timeUp.aborted) return { exitCode: null, output, timedOut: true };
      throw refused('container' in place ? place.container : place.service, error);
    }
  };
}

function refused(container: string, error: unknown): unknown {
  if (!(error instanceof DockerApiError)) return error;
  if (error.status === 404) return new Error(`No container named ${container} is at the engine`, { cause: error });
  return new Error(`Nothing can be run in the container ${container}: ${error.message}`, { cause: error });
}

/** The running container of a Swarm service on this engine. */
async function containerOf(docker: Docker, service: string): Promise<string> {
  const filters = { label: [`com.docker.swarm.service.name=${service}`], status: ['running'] };
  const [found] = await callDocker(() => docker.listContainers({ filters }));
  if (!found) throw new Error(`The service ${service} has no running container on this node`);
  return found.Id;
}
