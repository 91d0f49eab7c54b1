import type Docker from 'dockerode';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { AppError } from '../../../../lib/errors.ts';
import { callDocker, getOrUndefined } from '../../engine/client/errors.ts';
import { ImageUsers, type Owner } from '../../engine/images/image-user.ts';
import type { Labels } from '../../engine/labels.ts';
import type { UnitRole } from '../../runtime.ts';
import type { SwarmContext } from '../context.ts';

/** What planning a service needs to know about an image. */
export interface ImageFacts {
  /** By its digest, where it has one. */
  reference: string;
  entrypoint: readonly string[];
  command: readonly string[];
  hasHealthCheck: boolean;
  labels: Labels;
  platform: { Architecture: string; OS: string };
  /** The user that its program runs as. */
  owner: Owner;
}

/** An image of some hundred megabytes, through a slow network. */
const pullWithinMs = 10 * 60_000;

/** Reads the facts of releases' images, each once; an image that no engine of DOCKER_HOST has is pulled. */
export function createImageFacts(
  { engines }: Pick<SwarmContext, 'engines'>,
  images: {
    /** The reference by which nodes pull the image of a release. */
    imageOf(role: UnitRole, releaseKey: string): Promise<string>;
    pull(reference: string, work: Work): Promise<void>;
  },
): (role: UnitRole, releaseKey: string) => Promise<ImageFacts> {
  const known = new Map<string, ImageFacts>();
  const users = new ImageUsers();

  async function read(docker: Docker, reference: string): Promise<ImageFacts | undefined> {
    const image = await getOrUndefined(() => docker.getImage(reference).inspect());
    if (!image) return undefined;
    const {
      Entrypoint: entrypoint,
      Cmd: command,
      Healthcheck: check,
      Labels: labels,
    } = image.Config as typeof image.Config & {
      Healthcheck?: { Test?: string[] };
    };
    // Its files are readable only in a container, which need not run.
    const container = await callDocker(() => docker.createContainer({ Image: reference, NetworkDisabled: true }));
    try {
      const owner = await users.ownerIn(container);
      return {
        ...{ reference, owner, labels: labels ?? {}, hasHealthCheck: (check?.Test ?? []).length > 0 },
        entrypoint: [entrypoint ?? []].flat(),
        command: command ?? [],
        platform: { Architecture: image.Architecture, OS: image.Os },
      };
    } finally {
      await getOrUndefined(() => container.remove({ force: true, v: true }));
    }
  }

  async function find(reference: string): Promise<ImageFacts | undefined> {
    for (const { prompt } of engines) {
      const facts = await read(prompt, reference).catch(undefinedIfAway);
      if (facts) return facts;
    }
    return undefined;
  }

  async function afterPull(reference: string): Promise<ImageFacts> {
    await images.pull(reference, { log: () => undefined, signal: AbortSignal.timeout(pullWithinMs) });
    const facts = await find(reference);
    if (facts) return facts;
    throw new Error(`The image ${reference} is at no engine of DOCKER_HOST; deploy again`);
  }

  return async (role, releaseKey) => {
    const reference = await images.imageOf(role, releaseKey);
    const found = known.get(reference) ?? (await find(reference)) ?? (await afterPull(reference));
    known.set(reference, found);
    return found;
  };
}

function undefinedIfAway(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'runtime_unavailable') throw error;
}
