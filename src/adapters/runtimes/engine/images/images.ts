import type { ImageBuildOptions, ImageInfo } from 'dockerode';
import { createSharedWork, type SharedWork } from '../../../../lib/concurrency/shared-work.ts';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { AppError, ExplainedError, messageOf } from '../../../../lib/errors.ts';
import { publicImages } from '../../image-access.ts';
import { type ReleaseRequest, type UnitRole, unitRoles } from '../../runtime.ts';
import { followProgress, ProgressError } from '../client/build-progress.ts';
import { callDocker, getOrUndefined, ignoreStatus } from '../client/errors.ts';
import type { EngineContext } from '../context.ts';
import { label, labelFilter } from '../labels.ts';
import { imageName } from '../names.ts';
import type { BaseImages } from './base-images.ts';
import type { NeededImage } from './dockerfile-images.ts';
import { imageContext } from './image-context.ts';

/** Images that a Dockerfile does not name in plain words, for one build. */
const maxUnnamed = 10;

/** The images of the releases, one per unit, built once per commit and used by every tenant at that commit. */
export class Images {
  readonly #context: EngineContext;
  readonly #bases: BaseImages;
  readonly #builds: SharedWork = createSharedWork();

  /** @param bases the images that builds are made from, of the same engine */
  constructor(context: EngineContext, bases: BaseImages) {
    this.#context = context;
    this.#bases = bases;
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

  async #buildAll(request: ReleaseRequest, work: Work): Promise<void> {
    for (const role of unitRoles) {
      if (await this.#isBuilt(role, request.key)) work.log(`The ${role} image of ${request.commit} exists already`);
      else await this.#build(request, role, work);
    }
  }

  async #build(release: ReleaseRequest, role: UnitRole, work: Work): Promise<void> {
    const { image } = release.units[role];
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
      // A cache mount of another repository's build must not be this one's.
      buildargs: { BUILDKIT_CACHE_MOUNT_NS: `${this.#context.instance}-${release.key.split('-', 1)[0]}` },
      ...(image.target === undefined ? {} : { target: image.target }),
    };
    work.log(`Building the ${role} image`);
    try {
      const { images, open } = await imageContext(release.checkout, image, work.signal);
      const build = (): Promise<void> =>
        followProgress(
          (abortSignal) => this.#context.docker.buildImage(open(), buildKit({ ...options, abortSignal })),
          work,
        );
      await this.#bases.during(images, release.access ?? publicImages, work, (add) => withUnnamed(build, add));
    } catch (error) {
      throw explained(`Building the ${role} image failed`, error, work);
    }
    work.log(`Built the ${role} image`);
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
export function buildKit(options: ImageBuildOptions): ImageBuildOptions {
  return Object.assign(options, { version: 2 });
}

/**
 * Builds, and again with an image that could not be looked up: one that the Dockerfile does not name in plain words (a variable of
 * a stage, an ONBUILD of its base, another frontend).
 */
async function withUnnamed(build: () => Promise<void>, add: (image: NeededImage) => Promise<void>): Promise<void> {
  const added = new Set<string>();
  for (;;) {
    try {
      await build();
      return;
    } catch (error) {
      const image = error instanceof ProgressError ? error.image : undefined;
      if (image === undefined || added.has(image) || added.size === maxUnnamed) throw error;
      added.add(image);
      await add({ name: image });
    }
  }
}

/** A cancelled build, a lost engine and an image that cannot be had keep their errors. */
function explained(what: string, error: unknown, work: Work): unknown {
  if (work.signal.aborted || error instanceof ExplainedError) return error;
  if (error instanceof AppError && error.code === 'runtime_unavailable') return error;
  return new Error(`${what}: ${messageOf(error)}`, { cause: error });
}

/** Older engines list a replaced image under the name `<none>:<none>`. */
function tagsOf(image: ImageInfo): string[] {
  return (image.RepoTags ?? []).filter((tag) => tag !== '<none>:<none>');
}
