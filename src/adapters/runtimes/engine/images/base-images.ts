import type { AuthConfig, ImageInspectInfo } from 'dockerode';
import { createSharedWork } from '../../../../lib/concurrency/shared-work.ts';
import { withTimeout } from '../../../../lib/concurrency/timeout.ts';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { AppError, ExplainedError, messageOf } from '../../../../lib/errors.ts';
import type { ImageAccess, RegistryCredentials } from '../../image-access.ts';
import { followProgress } from '../client/build-progress.ts';
import { callDocker, getOrUndefined } from '../client/errors.ts';
import type { EngineContext } from '../context.ts';
import type { NeededImage } from './dockerfile-images.ts';
import { imageError, imageProblem } from './image-problems.ts';
import { limitedUntil } from './rate-limit.ts';

/** A registry that does not answer for this long does not hold up a build whose image is here. */
const lookUpWithinMs = 15_000;
/** How long a failed look-up counts: each deployment would wait for it. */
const failedLookUpCountsMs = 10 * 60_000;

/**
 * Images of registries on one engine. A build gets neither a token nor credentials from its engine (before 29.6), so what it
 * needs is pulled before: by the engine, with the credentials that this build may use.
 */
export class BaseImages {
  readonly #context: EngineContext;
  readonly #isOwn: (name: string) => boolean;
  readonly #pulls = createSharedWork();
  /** When a registry was last asked for a complete name, by Date.now(). */
  readonly #lookedUp = new Map<string, number>();
  /** Images that only some repositories may use: pulled for these builds, and not kept under their names without one. */
  readonly #restricted = new Map<string, Set<object>>();

  /** @param isOwn whether a complete name is one of Tenantry's own images */
  constructor(context: EngineContext, isOwn: (name: string) => boolean) {
    this.#context = context;
    this.#isOwn = isOwn;
  }

  /**
   * Runs a build's work with these images on the engine; `add` makes another one available that only the build named.
   * @throws ExplainedError for an image that cannot be had, naming it, its registry and the reason
   */
  async during<T>(
    needed: readonly NeededImage[],
    access: ImageAccess,
    work: Work,
    run: (add: (image: NeededImage) => Promise<void>) => Promise<T>,
  ): Promise<T> {
    const build = {};
    const add = async (image: NeededImage): Promise<void> => {
      const reference = parseReference(image.name);
      // BuildKit's own message says what is wrong with the name.
      if (!reference) return;
      const name = completeName(reference);
      if (this.#isOwn(name)) throw imageError({ code: 'image_own', params: paramsOf(image, reference) }, undefined);
      const credentials = await access.at(reference.host);
      this.#restricted.get(name)?.add(build);
      const pulled = await this.#ensure(
        image,
        reference,
        { credentials, maxAgeMs: await access.maxAgeMs(), copyServes: true },
        work,
      );
      if (pulled && credentials.restricted && credentials.login)
        this.#restricted.set(name, (this.#restricted.get(name) ?? new Set()).add(build));
    };
    try {
      for (const image of needed) await add(image);
      return await run(add);
    } finally {
      for (const [name, builds] of this.#restricted)
        if (builds.delete(build) && builds.size === 0) await this.#forget(name);
    }
  }

  /**
   * Pulls an image that the operator names, if it is missing. `renewed`: its registry is asked in any case, and an answer is
   * needed. @throws ExplainedError
   */
  async ensurePulled(image: string, access: ImageAccess, work: Work, renewed = false): Promise<void> {
    const reference = parseReference(image);
    if (!reference) throw new Error(`${image} is not the name of an image`);
    const credentials = await access.at(reference.host);
    const wanted = { credentials, maxAgeMs: renewed ? 0 : Number.POSITIVE_INFINITY, copyServes: !renewed };
    const pulled = await this.#ensure({ name: image }, reference, wanted, work);
    if (renewed && pulled && credentials.restricted && credentials.login)
      this.#restricted.set(completeName(reference), new Set());
  }

  /** Asks the registry of an image that the operator names for it. @throws ExplainedError */
  async lookUp(image: string, access: ImageAccess, work: Work): Promise<void> {
    const reference = parseReference(image);
    if (!reference) throw new Error(`${image} is not the name of an image`);
    const { login } = await access.at(reference.host);
    await this.#digestAt(completeName(reference), login).catch(async (error: unknown) => {
      throw await this.#explained({ name: image }, reference, login, error, work);
    });
  }

  /** Removes the names of private images that were only looked up. */
  async forgetUnused(): Promise<void> {
    for (const [name, builds] of this.#restricted) if (builds.size === 0) await this.#forget(name);
  }

  /** Returns whether it was pulled. */
  async #ensure(
    image: NeededImage,
    reference: ImageReference,
    { credentials, maxAgeMs, copyServes }: { credentials: RegistryCredentials; maxAgeMs: number; copyServes: boolean },
    work: Work,
  ): Promise<boolean> {
    const name = completeName(reference);
    const { login, restricted } = credentials;
    if (restricted && !login) await this.#assertPublic(image, reference, work);
    const local = await this.#local(name, image);
    try {
      if (local) {
        if (reference.digest !== undefined || Date.now() - this.#lookedUpAt(name, local) < maxAgeMs) return false;
        if (await this.#isCurrent(name, local, login)) return false;
      }
      await this.#pulls.run(`${name} ${image.platform} ${login?.username}`, work, async (shared) => {
        shared.log(`Pulling ${image.name}`);
        await this.#pull(image, name, login, shared).catch(async (error: unknown) => {
          throw await this.#explained(image, reference, login, error, shared);
        });
        this.#lookedUp.set(name, Date.now());
      });
      return true;
    } catch (error) {
      if (!local || work.signal.aborted || error instanceof AppError) throw error;
      if (!copyServes)
        throw error instanceof ExplainedError ? error : await this.#explained(image, reference, login, error, work);
      work.log(`${image.name} could not be looked up again, so the engine's own copy is used: ${messageOf(error)}`);
      this.#lookedUp.set(name, Date.now() - maxAgeMs + failedLookUpCountsMs);
      return false;
    }
  }

  /** The engine's image, unless it is of another platform than the one that is needed. */
  async #local(name: string, { platform }: NeededImage): Promise<ImageInspectInfo | undefined> {
    const found = await getOrUndefined(() => this.#context.docker.getImage(name).inspect());
    if (!found || platform === undefined) return found;
    const [, architecture] = platform.split('/');
    return architecture === found.Architecture ? found : undefined;
  }

  #lookedUpAt(name: string, local: ImageInspectInfo): number {
    const { LastTagTime: tagged } = (local as { Metadata?: { LastTagTime?: string } }).Metadata ?? {};
    return Math.max(this.#lookedUp.get(name) ?? 0, Date.parse(tagged ?? '') || 0);
  }

  /** Whether the registry still has what is here. @throws the engine's error when the registry does not answer in time */
  async #isCurrent(name: string, local: ImageInspectInfo, login: AuthConfig | undefined): Promise<boolean> {
    const digest = await this.#digestAt(name, login);
    this.#lookedUp.set(name, Date.now());
    return (local.RepoDigests ?? []).some((known) => known.endsWith(`@${digest}`)) || local.Id === digest;
  }

  #digestAt(name: string, login: AuthConfig | undefined): Promise<string> {
    const ask = async (): Promise<string> => {
      const image = this.#context.docker.getImage(name);
      const options = { ...(login && { authconfig: login }), abortSignal: AbortSignal.timeout(lookUpWithinMs) };
      return (await callDocker(() => image.distribution(options))).Descriptor.digest;
    };
    return withTimeout(ask, { timeoutMs: lookUpWithinMs });
  }

  /** A build without credentials gets only what everybody gets, even where the image is here for another one. */
  async #assertPublic(image: NeededImage, reference: ImageReference, work: Work): Promise<void> {
    await this.#digestAt(completeName(reference), undefined).catch(async (error: unknown) => {
      work.signal.throwIfAborted();
      if (error instanceof AppError) throw error;
      const explained = await this.#explained(image, reference, undefined, error, work);
      const code = explained instanceof ExplainedError ? explained.found.code : 'image_not_found';
      if (code !== 'registry_sign_in_required' && code !== 'image_not_found') throw explained;
      throw imageError({ code: 'image_not_allowed', params: paramsOf(image, reference) }, error);
    });
  }

  async #pull({ platform }: NeededImage, name: string, login: AuthConfig | undefined, work: Work): Promise<void> {
    const options = { ...(platform !== undefined && { platform }), ...(login && { authconfig: login }) };
    await followProgress((signal) => this.#context.docker.pull(name, { ...options, abortSignal: signal }), work);
  }

  async #explained(
    image: NeededImage,
    reference: ImageReference,
    login: RegistryCredentials['login'],
    error: unknown,
    work: Work,
  ): Promise<unknown> {
    if (work.signal.aborted || error instanceof AppError) return error;
    const params = paramsOf(image, reference);
    const words = messageOf(error);
    const found = imageProblem(words, {
      ...params,
      platform: image.platform ?? 'linux',
      signedIn: login !== undefined,
    });
    if (found === undefined)
      return new Error(`The image ${image.name} could not be pulled: ${words}`, { cause: error });
    const until = found.code === 'registry_rate_limited' ? await limitedUntil(words, reference, login) : undefined;
    if (until === undefined) return imageError(found, error);
    return imageError(
      { code: 'registry_rate_limited_until', params: { ...params, until: until.toISOString() } },
      error,
    );
  }

  /** Removes an image's name; its layers stay as long as an image needs them. */
  async #forget(name: string): Promise<void> {
    this.#restricted.delete(name);
    await callDocker(() => this.#context.docker.getImage(name).remove()).catch((error: unknown) =>
      this.#context.logger.warn({ image: name, reason: messageOf(error) }, 'a private base image was not removed'),
    );
  }
}

const paramsOf = (image: NeededImage, { host }: ImageReference) => ({ image: image.name, registry: host });

/** An image's name in its parts, as Docker completes a short one: `node:24` is library/node with the tag 24 at docker.io. */
interface ImageReference {
  /** With the port, if it has one. */
  host: string;
  repository: string;
  /** `latest` where the name has neither a tag nor a digest. */
  tag: string | undefined;
  digest: string | undefined;
}

/** Undefined: no name of an image. */
function parseReference(name: string): ImageReference | undefined {
  const [rest = '', digest] = name.split('@', 2);
  const slash = rest.indexOf('/');
  const first = rest.slice(0, Math.max(slash, 0));
  // Docker's rule: a host has a dot or a port, or is localhost.
  const hasHost = /[.:]/.test(first) || first === 'localhost';
  const [path = '', tag] = (hasHost ? rest.slice(slash + 1) : rest).split(':', 2);
  if (!/^[a-z0-9][a-z0-9._/-]*$/.test(path)) return undefined;
  const isHub = !hasHost || first === 'docker.io' || first === 'index.docker.io';
  return {
    host: isHub ? 'docker.io' : first,
    repository: isHub && !path.includes('/') ? `library/${path}` : path,
    tag: tag ?? (digest === undefined ? 'latest' : undefined),
    digest,
  };
}

/** The complete name: two names of one image are equal. */
function completeName({ host, repository, tag, digest }: ImageReference): string {
  return `${host}/${repository}${tag === undefined ? '' : `:${tag}`}${digest === undefined ? '' : `@${digest}`}`;
}
