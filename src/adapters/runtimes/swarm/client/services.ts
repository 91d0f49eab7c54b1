import type { AuthConfig, Service as FoundService, ServiceSpec } from 'dockerode';
import { backoff, retry } from '../../../../lib/concurrency/retry.ts';
import { DockerApiError, getOrUndefined, ignoreStatus } from '../../engine/client/errors.ts';
import { type Labels, label, labelFilter } from '../../engine/labels.ts';
import type { SwarmContext } from '../context.ts';

/** A service of this manager. */
export interface Service {
  id: string;
  name: string;
  labels: Labels;
  replicas: number;
  /** Raised to start its tasks again. */
  forced: number;
  createdAt: string;
  /** Why Swarm paused its last update or took it back. */
  updateFailure: string | undefined;
  spec: ServiceSpec;
}

/**
 * dockerode's two-argument forms, which its types lack: `_body` alone is sent, `_query` alone is in the URL. With one argument the
 * whole specification, environment included, would be in the URL or in a header.
 */
interface Updatable {
  update(auth: AuthConfig | undefined, options: { _query: object; _body: ServiceSpec }): Promise<unknown>;
}

/** How long to repeat an update that others' updates overtake. */
export const updateWithinMs = 20_000;

export async function listServices(
  { call, instance }: SwarmContext,
  wanted: Parameters<typeof labelFilter>[0] = {},
): Promise<Service[]> {
  const filters = labelFilter({ instance, ...wanted });
  return (await call((docker) => docker.listServices({ filters }))).map(serviceOf);
}

/**
 * Creates a service; one of the same name and labels is the one that an earlier try created whose answer was lost.
 * @throws Error when the name belongs to somebody else's service
 */
export async function createService({ call, instance, auth }: SwarmContext, spec: ServiceSpec): Promise<string> {
  const name = spec.Name ?? '';
  return call(async (docker) => {
    const create = docker.createService as (auth: AuthConfig | undefined, spec: ServiceSpec) => Promise<{ id: string }>;
    const created = await ignoreStatus([409], () => create.call(docker, isIn(auth, spec) ? auth : undefined, spec));
    if (created) return created.id;
    const found = await getOrUndefined(async () => serviceOf(await docker.getService(name).inspect()));
    const same = [label.tenant, label.generation].every((key) => found?.labels[key] === spec.Labels?.[key]);
    if (found?.labels[label.instance] === instance && same) return found.id;
    throw new Error(`A service named ${name} exists in the swarm and is not this tenant's; remove it, then try again`);
  });
}

/** Whether its image is in the registry of these credentials: nodes send them to the image's registry, whichever that is. */
function isIn(auth: AuthConfig | undefined, { TaskTemplate: task }: ServiceSpec): boolean {
  const image = task !== undefined && 'ContainerSpec' in task ? task.ContainerSpec?.Image : undefined;
  if (auth === undefined || !('serveraddress' in auth) || image === undefined) return false;
  return image.startsWith(`${auth.serveraddress}/`);
}

/**
 * Changes a service: reads it, decides, and writes with the version that was read; decides again when another update came first.
 * @param change returns the new specification, or undefined when the service is as it should be
 */
export async function updateService(
  { call, auth }: SwarmContext,
  id: string,
  change: (service: Service) => ServiceSpec | undefined,
): Promise<void> {
  const attempt = async (): Promise<void> => {
    const found = await call((docker) =>
      getOrUndefined(() => docker.getService(id).inspect() as Promise<FoundService & { Version: { Index: number } }>),
    );
    const spec = found && change(serviceOf(found));
    if (spec === undefined) return;
    const options = { _query: { version: found?.Version.Index, registryAuthFrom: 'spec' }, _body: spec };
    const sent = isIn(auth, spec) ? auth : undefined;
    await call((docker) => (docker.getService(id) as unknown as Updatable).update(sent, options));
  };
  await retry(attempt, { delaysMs: backoff(50, 1_000, updateWithinMs), isTransient: isOutOfSequence });
}

/**
 * Gives the services of units the registry's credentials of today: a node that pulls their image later, for a lost one, uses them.
 * Starts no task again (swarmkit ignores such a difference).
 */
export async function renewCredentials(context: SwarmContext, signal: AbortSignal): Promise<void> {
  if (context.auth === undefined) return;
  for (const { id, spec } of await listServices(context)) {
    if (signal.aborted) return;
    if (isIn(context.auth, spec)) await updateService(context, id, (found) => found.spec);
  }
}

/** Its tasks' containers end after that. */
export async function removeService({ call }: SwarmContext, id: string): Promise<void> {
  await call((docker) => ignoreStatus([404], () => docker.getService(id).remove()));
}

/** The engine has no status of its own for it. */
export const isOutOfSequence = (error: unknown): boolean =>
  error instanceof DockerApiError && error.message.includes('update out of sequence');

function serviceOf({
  ID: id,
  Spec: spec = {},
  CreatedAt: createdAt = '',
  UpdateStatus: update,
}: FoundService): Service {
  return {
    id,
    name: spec.Name ?? '',
    labels: spec.Labels ?? {},
    replicas: spec.Mode?.Replicated?.Replicas ?? 0,
    forced: spec.TaskTemplate?.ForceUpdate ?? 0,
    createdAt,
    updateFailure: /^(paused|rollback_)/.test(update?.State ?? '') ? (update?.Message ?? update?.State) : undefined,
    spec,
  };
}
