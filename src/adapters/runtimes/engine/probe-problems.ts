import { type CauseTexts, type ExplainedError, explain } from '../../../lib/errors.ts';

/** What is wrong with an engine, its networks or its containers, as far as Tenantry knows it by a code. */
export type ProbeProblem =
  | { code: 'engine_too_old' | 'engine_too_new'; params: { version: string; api: string } }
  | { code: 'engine_store_unusable'; params: { version: string } }
  | { code: 'network_pool_exhausted'; params: { pool: string } }
  | { code: 'build_failed' | 'image_without_node'; params: { image: string } }
  | { code: 'network_refused' | 'containers_apart'; params: Record<never, string> }
  | { code: 'port_unreachable'; params: { port: string; address: string } }
  | { code: 'container_name_unresolved' | 'container_https_failed'; params: { host: string } };

/** In English, for the API and its logs. */
export const probeTexts: Record<ProbeProblem['code'], CauseTexts> = {
  engine_too_old: {
    title: 'Docker Engine {version} speaks no newer API than {api}, which is too old',
    remedy: 'Update it to Docker 20.10 or newer',
  },
  engine_too_new: {
    title: 'Docker Engine {version} speaks no older API than {api}, which this version of Tenantry does not know',
    remedy: 'Update Tenantry, or set DOCKER_MIN_API_VERSION of the engine',
  },
  engine_store_unusable: {
    title: 'Docker Engine {version} cannot build images while it keeps them in containerd’s store',
    remedy: 'Update it to Docker 28, or turn containerd-snapshotter off in the features of its daemon.json',
  },
  network_pool_exhausted: {
    title: 'No free network is left in {pool}',
    remedy: 'Remove tenants, or give the manager a larger DOCKER_NETWORK_POOL',
  },
  network_refused: {
    title: 'The engine could not create a network',
    remedy: 'See its message, and check whether another program uses addresses of DOCKER_NETWORK_POOL',
  },
  build_failed: {
    title: 'The engine could not build an image of one line from {image}',
    remedy: 'See its message and the engine’s log',
  },
  image_without_node: {
    title: 'The image {image} has no Node.js, which tries out the network in a container',
    remedy: 'Check again with an image that has it, such as node:24-bookworm-slim',
  },
  containers_apart: {
    title: 'Two containers in one network do not reach each other by name',
    remedy: 'Let the host’s firewall pass packets between containers: Docker’s rules must stay in it',
  },
  port_unreachable: {
    title: 'The manager does not reach the port {port} that a container has published on {address}',
    remedy: 'Let the host’s firewall pass packets to containers: Docker’s rules must stay in it',
  },
  container_name_unresolved: {
    title: 'Containers cannot resolve the name {host}, and this host can',
    remedy: 'Set "dns" in the engine’s daemon.json to a name server that containers reach, then restart the engine',
  },
  container_https_failed: {
    title: 'Containers cannot reach {host}, and this host can',
    remedy: 'Let the host’s firewall pass what containers send, and look whether the host forwards packets',
  },
};

/** The error of such a problem, with the engine's message as its detail. */
export const probeError = (problem: ProbeProblem, cause?: unknown): ExplainedError =>
  explain(problem, probeTexts[problem.code], cause);
