import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AuthConfig } from 'dockerode';
import { createSharedWork } from '../../../../lib/concurrency/shared-work.ts';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { AppError, messageOf } from '../../../../lib/errors.ts';
import { writeFileAtomic } from '../../../../lib/files/atomic-file.ts';
import { mkdir, rm } from '../../../../lib/files/changes.ts';
import { followProgress } from '../../engine/client/build-progress.ts';
import type { Engine } from '../../engine/client/docker-client.ts';
import { callDocker, DockerApiError } from '../../engine/client/errors.ts';
import type { EngineContext } from '../../engine/context.ts';
import { BaseImages } from '../../engine/images/base-images.ts';
import { Images } from '../../engine/images/images.ts';
import { label } from '../../engine/labels.ts';
import { imageName, isReleaseImage } from '../../engine/names.ts';
import { type ReleaseRequest, type UnitRole, unitRoles } from '../../runtime.ts';
import { listServices } from '../client/services.ts';
import type { SwarmContext } from '../context.ts';
import { createRegistryClient } from './registry-client.ts';

export interface Registry {
  /** SWARM_REGISTRY: `host:port` or `host/path`. */
  address: string;
  user?: string | undefined;
  password?: string | undefined;
}

export type ReleaseImages = ReturnType<typeof createReleaseImages>;

/**
 * The images of releases: built by the first engine that answers, pushed to the registry, and known by the digests that were pushed,
 * so that every manager's engine knows them. Without a registry they stay on the engine of a swarm of one node.
 */
export function createReleaseImages(context: SwarmContext, registry: Registry | undefined) {
  const { engines, logger, auth } = context;
  const builds = createSharedWork();
  // Releases of every manager, not only of this one: a push ends with the name of a repository.
  const isOwn = (name: string): boolean =>
    isReleaseImage(name) || (registry !== undefined && name.startsWith(`${registry.address}/tenantry-`));
  const builders = new Map(
    engines.map((engine) => {
      const at: EngineContext = { ...context, docker: engine.docker, dockerWithTimeout: engine.prompt };
      const bases = new BaseImages(at, isOwn);
      return [engine, { context: at, bases, images: new Images(at, bases) }];
    }),
  );
  const client = registry && createRegistryClient(registry, logger);
  // Several managers may share a registry, each removes only its own images.
  const space = createHash('sha256').update(context.instance).digest('hex').slice(0, 12);
  const repository = (role: UnitRole): string => `tenantry-${space}/${role}`;
  const pushed = createPushedDigests(context.storage, space);

  /** The first engine that answers. @throws AppError runtime_unavailable */
  async function builder(): Promise<{ engine: Engine; images: Images }> {
    const reasons: string[] = [];
    for (const [engine, { images }] of builders) {
      const answer = await engine.availability();
      if (answer.available) return { engine, images };
      reasons.push(answer.reason);
    }
    throw new AppError('runtime_unavailable', `No Docker engine answers: ${reasons.join('; ')}`);
  }

  /** The digest that the registry has for a release's image; undefined: it has none. */
  async function digestOf(role: UnitRole, key: string, { address }: Registry): Promise<string | undefined> {
    const name = `${address}/${repository(role)}`;
    const { engine } = await builder();
    try {
      const image = engine.prompt.getImage(`${name}:${key}`);
      return (await callDocker(() => image.distribution(auth ? { authconfig: auth } : {}))).Descriptor.digest;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw registryError(address, error);
    }
  }

  async function push(role: UnitRole, key: string, engine: Engine, { address }: Registry, work: Work): Promise<void> {
    const repo = `${address}/${repository(role)}`;
    await callDocker(() => engine.prompt.getImage(imageName(role, key)).tag({ repo, tag: key }));
    work.log(`Pushing the ${role} image to ${address}`);
    const quiet = { log: () => undefined, signal: work.signal };
    try {
      await followProgress(
        (abortSignal) => engine.docker.getImage(`${repo}:${key}`).push({ abortSignal, authconfig: auth ?? {} }),
        quiet,
      );
    } catch (error) {
      work.signal.throwIfAborted();
      throw registryError(address, error);
    }
    const { RepoDigests: names } = await callDocker(() => engine.prompt.getImage(`${repo}:${key}`).inspect());
    const digest = names.find((name) => name.startsWith(`${repo}@`))?.slice(repo.length + 1);
    if (digest === undefined) throw registryError(address, `the engine knows no digest of the pushed ${role} image`);
    await pushed.remember(role, key, digest);
  }

  async function buildAndPush(request: ReleaseRequest, work: Work): Promise<void> {
    const { key } = request;
    if (registry && (await has(key))) {
      work.log(`The images of ${request.commit} are in the registry already`);
      return;
    }
    if (!registry) await assertOneNode();
    const { engine, images } = await builder();
    await images.prepare(request, work);
    if (registry) for (const role of unitRoles) await push(role, key, engine, registry, work);
  }

  async function assertOneNode(): Promise<void> {
    const nodes = await context.call((docker) => docker.listNodes() as Promise<unknown[]>);
    if (nodes.length > 1)
      throw new Error(`SWARM_REGISTRY is not set: the ${nodes.length} nodes of the swarm get images from a registry`);
  }

  async function has(key: string): Promise<boolean> {
    if (!registry) return (await builder()).images.has(key);
    for (const role of unitRoles) {
      const [known, found] = await Promise.all([pushed.of(role, key), digestOf(role, key, registry)]);
      if (known !== undefined && found !== undefined && known !== found)
        logger.warn({ role, key, known, found }, 'the registry has another image than was pushed: it is built again');
      if (known === undefined || known !== found) return false;
    }
    return true;
  }

  return {
    /** The engines that build, each with what its images are made from. */
    builders,
    builder,
    prepareRelease: (request: ReleaseRequest, work: Work): Promise<void> =>
      builds.run(request.key, work, (shared) => buildAndPush(request, shared)),
    hasRelease: has,
    async buildCacheBytes(signal: AbortSignal): Promise<number | undefined> {
      const answering = engines.map(async (engine) => {
        if ((await engine.availability()).available) return engine.buildCacheBytes(signal);
        return undefined;
      });
      const sizes = (await Promise.all(answering)).filter((bytes) => bytes !== undefined);
      return sizes.length === 0 ? undefined : sizes.reduce((sum, bytes) => sum + bytes);
    },
    checkRegistry: async (login: AuthConfig): Promise<void> => (await builder()).engine.signIn(login),

    /** The reference by which nodes pull an image, with the digest that was pushed. @throws Error when none was */
    async imageOf(role: UnitRole, key: string): Promise<string> {
      if (!registry) return imageName(role, key);
      const digest = await pushed.of(role, key);
      if (digest === undefined)
        throw new Error(`The ${role} image of ${key} was not pushed to the registry ${registry.address}; deploy again`);
      return `${registry.address}/${repository(role)}@${digest}`;
    },

    /** Pulls an image to an engine that lacks it. */
    async pull(reference: string, work: Work): Promise<void> {
      const { engine } = await builder();
      const options = auth ? { authconfig: auth } : {};
      try {
        await followProgress((abortSignal) => engine.docker.pull(reference, { ...options, abortSignal }), work);
      } catch (error) {
        work.signal.throwIfAborted();
        throw registry ? registryError(registry.address, error) : error;
      }
    },

    async removeReleasesExcept(keys: ReadonlySet<string>, options?: { buildCacheBytes: number }): Promise<string[]> {
      const used = (await listServices(context)).flatMap(({ labels }) => labels[label.release] ?? []);
      const needed = new Set([...keys, ...used]);
      const removed = new Set<string>();
      for (const [engine, { images }] of builders)
        try {
          for (const key of await images.removeExcept(needed)) removed.add(key);
          if (options) await engine.pruneBuildCache(options.buildCacheBytes);
        } catch (error) {
          ignoreUnavailable(error);
        }
      if (client) {
        for (const role of unitRoles)
          for (const key of await client.tagsOf(repository(role))) {
            if (needed.has(key)) continue;
            await client.removeTag(repository(role), key);
            removed.add(key);
          }
        await pushed.keepOnly(needed);
      }
      const gone = await Promise.all([...removed].map(async (key) => ({ key, there: await has(key) })));
      return gone.flatMap(({ key, there }) => (there ? [] : [key]));
    },
  };
}

/** An engine that is away is cleaned up another time. */
function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof AppError) || error.code !== 'runtime_unavailable') throw error;
}

/** Registries answer 404, and some 403 for a repository that does not exist; older engines pass on only their text. */
const isMissing = (error: unknown): boolean =>
  error instanceof DockerApiError && (error.status === 404 || /manifest unknown|name unknown/i.test(error.message));

function registryError(address: string, error: unknown): AppError {
  if (error instanceof AppError) return error;
  return new AppError('runtime_unavailable', `The registry ${address} (SWARM_REGISTRY): ${messageOf(error)}`, {
    cause: error,
  });
}

/**
 * The digests of the images that managers of one space pushed: `<storage>/.images-<space>/<key>-<role>`. Nodes run these, whatever
 * the registry has under a tag by now.
 */
function createPushedDigests(storage: string, space: string) {
  const directory = join(storage, `.images-${space}`);
  const fileOf = (role: UnitRole, key: string): string => join(directory, `${key}-${role}`);

  return {
    /** undefined: that image was never pushed. */
    async of(role: UnitRole, key: string): Promise<string | undefined> {
      return readFile(fileOf(role, key), 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
        return undefined;
      });
    },

    /** @throws Error where the storage is not mounted */
    async remember(role: UnitRole, key: string, digest: string): Promise<void> {
      await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error;
      });
      await writeFileAtomic(fileOf(role, key), digest);
    },

    /** Forgets every release except these. */
    async keepOnly(keys: ReadonlySet<string>): Promise<void> {
      const kept = new Set([...keys].flatMap((key) => unitRoles.map((role) => `${key}-${role}`)));
      const names = await readdir(directory).catch((): string[] => []);
      for (const name of names) if (!kept.has(name)) await rm(join(directory, name), { force: true });
    },
  };
}
