import type { ImageBuildOptions, ImageInfo } from 'dockerode';
import { createSharedWork, type SharedWork } from '../../../../lib/concurrency/shared-work.ts';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { AppError, messageOf } from '../../../../lib/errors.ts';
import { type Release, type ReleaseRequest, type UnitDefinition, type UnitRole, unitRoles } from '../../runtime.ts';
import { followProgress } from '../client/build-progress.ts';
import { callDocker, getOrUndefined, ignoreStatus } from '../client/errors.ts';
import type { EngineContext } from '../context.ts';
import { label, labelFilter } from '../labels.ts';
import { imageName } from '../names.ts';
import { imageContext } from './image-context.ts';

/** The images of the releases, one per unit, built once per commit and used by every tenant at that commit. */
export class Images {
  readonly #context: EngineContext;
  readonly #builds: SharedWork = createSharedWork();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  async prepare(request: ReleaseRequest, work: Work): Promise<void> {
    await this.#builds.run(request.key, work, (shared) => this.#buildAll(request, shared));
  }

  /** True when the images of both units exist. */
  async has(key: string): Promise<boolean> {
    const found = await Promise.all(unitRoles.map((role) => this.#isBuilt(role, key)));
    return found.every(Boolean);
  }

  /**
   * Removes the images of all releases but these, and those replaced by a build of an equal release. Images of existing
   * containers (running or not) stay. Returns the removed keys.
   */
  async removeExcept(keys: ReadonlySet<string>): Promise<string[]> {
    const images = await this.#list();
    const used = await this.#idsInUse();
    const byKey = Map.groupBy(images, (image) => image.Labels?.[label.release] ?? '');
    const removed: string[] = [];
    for (const [key, group] of byKey) {
      if (keys.has(key) || group.some((image) => used.has(image.Id))) continue;
      for (const name of group.flatMap((image) => tagsOf(image))) await this.#removeImage(name);
      if (!(await this.has(key))) removed.push(key);
    }
    for (const image of images)
      if (tagsOf(image).length === 0 && !used.has(image.Id)) await this.#removeImage(image.Id);
    return removed;
  }

  /** Pulls an image if it is missing. */
  async ensurePulled(image: string, work: Work): Promise<void> {
    if (await getOrUndefined(() => this.#context.docker.getImage(image).inspect())) return;
    work.log(`Pulling ${image}`);
    try {
      // Without a tag the engine would pull all of them.
      const reference = /[:@][^/:@]+$/.test(image) ? image : `${image}:latest`;
      await followProgress((signal) => this.#context.docker.pull(reference, { abortSignal: signal }), work);
    } catch (error) {
      throw explained(`The image ${image} could not be pulled`, error, work);
    }
  }

  async #buildAll(request: ReleaseRequest, work: Work): Promise<void> {
    for (const role of unitRoles) {
      if (await this.#isBuilt(role, request.key)) work.log(`The ${role} image of ${request.commit} exists already`);
      else await this.#build(request, role, request.units[role], work);
    }
  }

  async #build(release: Release, role: UnitRole, definition: UnitDefinition, work: Work): Promise<void> {
    const { image } = definition;
    if (!image) throw new Error(`tenant.yaml: units.${role}.image is missing; this runtime runs images`);
    const name = imageName(role, release.key);
    const options: ImageBuildOptions = {
      t: name,
      dockerfile: image.dockerfile,
      rm: true,
      // Also removes the containers of a failed or cancelled build.
      forcerm: true,
      labels: {
        [label.instance]: this.#context.instance,
        [label.role]: role,
        [label.commit]: release.commit,
        [label.release]: release.key,
      },
      ...(image.target === undefined ? {} : { target: image.target }),
    };
    work.log(`Building ${name}`);
    try {
      await followProgress(async (signal) => {
        const context = await imageContext(release.checkout, image.dockerfile, signal);
        return this.#context.docker.buildImage(context, buildKit({ ...options, abortSignal: signal }));
      }, work);
    } catch (error) {
      throw explained(`Building the ${role} image failed`, error, work);
    }
    work.log(`Built ${name}`);
  }

  async #isBuilt(role: UnitRole, key: string): Promise<boolean> {
    const image = await getOrUndefined(() => this.#context.docker.getImage(imageName(role, key)).inspect());
    return image?.Config?.Labels?.[label.release] === key;
  }

  #list(): Promise<ImageInfo[]> {
    const filters = labelFilter({ instance: this.#context.instance });
    return callDocker(() => this.#context.docker.listImages({ filters }));
  }

  async #idsInUse(): Promise<Set<string>> {
    const containers = await callDocker(() => this.#context.docker.listContainers({ all: true }));
    return new Set(containers.map((container) => container.ImageID));
  }

  /** 409: used since it was listed; the next collection will find it. */
  async #removeImage(name: string): Promise<void> {
    await ignoreStatus([404, 409], () => this.#context.docker.getImage(name).remove());
  }
}

/**
 * BuildKit, which every engine since 18.09 has: it supports current Dockerfiles, builds only the stages a target needs, and
 * leaves neither containers nor untagged images behind. Given as a number: for the string, dockerode opens a session for
 * credentials, which a cancelled build would leave open.
 */
function buildKit(options: ImageBuildOptions): ImageBuildOptions {
  return Object.assign(options, { version: 2 });
}

/** A cancelled build and a lost engine keep their errors. */
function explained(what: string, error: unknown, work: Work): unknown {
  if (work.signal.aborted || (error instanceof AppError && error.code === 'runtime_unavailable')) return error;
  return new Error(`${what}: ${messageOf(error)}`, { cause: error });
}

/** Older engines list a replaced image under the name `<none>:<none>`. */
function tagsOf(image: ImageInfo): string[] {
  return (image.RepoTags ?? []).filter((tag) => tag !== '<none>:<none>');
}
