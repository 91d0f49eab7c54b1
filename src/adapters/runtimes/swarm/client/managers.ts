import type Docker from 'dockerode';
import { backoff, retry } from '../../../../lib/concurrency/retry.ts';
import { AppError, messageOf } from '../../../../lib/errors.ts';
import type { Logger } from '../../../../lib/logger.ts';
import { Engine, type EngineAddress } from '../../engine/client/docker-client.ts';
import { callDocker, DockerApiError } from '../../engine/client/errors.ts';
import type { SwarmContext } from '../context.ts';

/** Time for one call, over all managers. */
const callWithinMs = 20_000;
/** The managers elect another leader within this time: 51 s were measured. */
const electionWithinMs = 60_000;

/**
 * A manager without a leader waits for one: its internal call then fails, without a status of its own. A leader that loses its
 * office fails what it has not finished.
 * (`rpc error: code = Unknown desc = The swarm does not have a leader. It's possible that too few managers are online.`,
 * `rpc error: code = Unknown desc = raft: failed to process the request: node lost leader status`)
 */
const withoutLeader =
  /does not have a leader|raft: failed to process the request: node |rpc error: code = (?:DeadlineExceeded|Unavailable)\b/;

/**
 * The Swarm managers of DOCKER_HOST: calls the one that answered last, and the others, in their order, when it does not answer, is
 * no manager or has no leader.
 * @throws Error for an address without a socket or host, which would mean the default engine
 */
export function connectManagers(
  addresses: readonly EngineAddress[],
  logger: Logger,
  { timeoutMs = callWithinMs, electionMs = electionWithinMs } = {},
): Pick<SwarmContext, 'call' | 'follow' | 'engines'> {
  if (addresses.length === 0 || addresses.some(({ socketPath, host }) => !socketPath && !host))
    throw new Error('DOCKER_HOST has no address of a Swarm manager');
  const engines = addresses.map((address) => new Engine(address, timeoutMs / addresses.length, logger));
  let current = engines[0];

  /** They also elect one when a node's link is repaired, for some seconds: no reason to fail an operation. */
  const ask = <T>(client: 'docker' | 'prompt', request: (docker: Docker) => Promise<T>): Promise<T> =>
    retry(() => askEach(client, request), {
      delaysMs: backoff(100, 1_000, electionMs),
      isTransient: (error) => error instanceof AppError && withoutLeader.test(error.message),
    });

  async function askEach<T>(client: 'docker' | 'prompt', request: (docker: Docker) => Promise<T>): Promise<T> {
    const first = current;
    const reasons: string[] = [];
    for (const engine of engines.toSorted((a, b) => Number(b === first) - Number(a === first))) {
      try {
        const answer = await callDocker(() => request(engine[client]));
        current = engine;
        return answer;
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        reasons.push(messageOf(error));
      }
    }
    throw new AppError('runtime_unavailable', `No Swarm manager answers: ${[...new Set(reasons)].join('; ')}`);
  }

  return { engines, call: (request) => ask('prompt', request), follow: (request) => ask('docker', request) };
}

/** No answer; 503: not a manager; 406: the same, of older engines; 500 without a leader. */
function isUnavailable(error: unknown): boolean {
  if (error instanceof AppError) return error.code === 'runtime_unavailable';
  if (!(error instanceof DockerApiError)) return false;
  return error.status === 503 || error.status === 406 || (error.status === 500 && withoutLeader.test(error.message));
}
