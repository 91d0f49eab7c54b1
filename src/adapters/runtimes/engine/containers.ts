import type { Container, ContainerCreateOptions } from 'dockerode';
import { poll } from '../../../lib/concurrency/poll.ts';
import { callDocker, getOrUndefined, ignoreStatus, withContext } from './client/errors.ts';
import type { EngineContext } from './context.ts';
import { emptied, type Labels } from './labels.ts';

/** The engine removes in the background; the name is free only after that. */
const removalWithinMs = 60_000;

/** Creates a container, without the labels of its image. @throws Error that names the container */
export async function createContainer(
  context: EngineContext,
  name: string,
  options: ContainerCreateOptions,
): Promise<Container> {
  try {
    const Labels = { ...(await labelsOf(context, options.Image ?? '')), ...options.Labels };
    const { id } = await callDocker(() => context.dockerWithTimeout.createContainer({ ...options, name, Labels }));
    return context.docker.getContainer(id);
  } catch (error) {
    throw withContext(`The container ${name} could not be created`, error);
  }
}

/** Removes a container with its anonymous volumes, running or not; resolves when it is gone. */
export async function removeContainer({ dockerWithTimeout }: EngineContext, id: string): Promise<void> {
  const container = dockerWithTimeout.getContainer(id);
  // 409: its removal is in progress.
  await ignoreStatus([404, 409], () => container.remove({ force: true, v: true }));
  const gone = async () => ((await getOrUndefined(() => container.inspect())) === undefined ? true : undefined);
  if (!(await poll(gone, { timeoutMs: removalWithinMs, intervalMs: 100 })))
    throw new Error(`The engine did not remove the container ${id} within ${removalWithinMs / 1000} s`);
}

/** The labels of an image, emptied: what reads the labels of containers, such as a proxy, must not obey a tenant's image. */
async function labelsOf({ dockerWithTimeout }: EngineContext, image: string): Promise<Labels> {
  const found = await getOrUndefined(() => dockerWithTimeout.getImage(image).inspect());
  return emptied(found?.Config?.Labels);
}
