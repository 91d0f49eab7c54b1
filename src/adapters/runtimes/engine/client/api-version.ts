import type Docker from 'dockerode';
import { AppError } from '../../../../lib/errors.ts';
import { probeError } from '../probe-problems.ts';

/** The oldest API that has all that is used (Docker 20.10), and the newest that was tested (Docker 28.5). */
export const apiVersions = { oldest: '1.41', newest: '1.51' };

interface EngineVersion {
  Version: string;
  ApiVersion: string;
  MinAPIVersion?: string;
}

/** From this API on (Docker 28) an engine with containerd's image store takes a build's files from a request (moby issue 47717). */
const buildsOnContainerd = '1.48';

/** Whether an engine keeps images in containerd's store, from what it says of itself. */
export const hasContainerdStore = ({ DriverStatus: status }: { DriverStatus?: unknown }): boolean =>
  JSON.stringify(status ?? []).includes('io.containerd.snapshotter');

/** @throws AppError runtime_unavailable for an engine that cannot build images */
export async function assertBuilds({ Version, ApiVersion: api }: EngineVersion, engine: Docker): Promise<void> {
  if (!newer(buildsOnContainerd, api) || !hasContainerdStore(await engine.info())) return;
  throw new AppError(
    'runtime_unavailable',
    `Docker Engine ${Version} cannot build images while it keeps them in containerd’s store: update it to Docker 28, ` +
      'or set "features": {"containerd-snapshotter": false} in its daemon.json',
    { cause: probeError({ code: 'engine_store_unusable', params: { version: Version } }) },
  );
}

/** The API version to use with one engine, so that an update of the engine changes nothing unnoticed. */
export class ApiVersion {
  readonly #engine: Docker;
  #chosen: Promise<string> | undefined;

  /** @param engine a connection without a version */
  constructor(engine: Docker) {
    this.#engine = engine;
  }

  /** `v1.51`; the engine is asked once. @throws AppError runtime_unavailable for an engine that is too old or too new */
  async get(): Promise<string> {
    this.#chosen ??= this.#ask();
    try {
      return await this.#chosen;
    } catch (error) {
      this.#chosen = undefined;
      throw error;
    }
  }

  /** Chooses again: the engine may have been updated. Returns a name of the engine. @throws AppError runtime_unavailable */
  choose(engine: EngineVersion): string {
    const { Version: version, ApiVersion: newest, MinAPIVersion: oldest = '1.12' } = engine;
    const used = newer(newest, apiVersions.newest) ? apiVersions.newest : newest;
    if (newer(apiVersions.oldest, used) || newer(oldest, used)) {
      const message = `Docker Engine ${version} speaks the API ${oldest} to ${newest}, and Tenantry ${apiVersions.oldest} to ${apiVersions.newest}: use Docker 20.10 or newer`;
      const code = newer(oldest, used) ? 'engine_too_new' : 'engine_too_old';
      const params = { version, api: code === 'engine_too_new' ? oldest : newest };
      throw new AppError('runtime_unavailable', message, { cause: probeError({ code, params }) });
    }
    this.#chosen = Promise.resolve(`v${used}`);
    return `Docker Engine ${version} (API ${newest}${used === newest ? '' : `, used as ${used}`})`;
  }

  async #ask(): Promise<string> {
    this.choose(await this.#engine.version());
    return this.#chosen ?? '';
  }
}

const newer = (one: string, other: string): boolean => one.localeCompare(other, 'en', { numeric: true }) > 0;
