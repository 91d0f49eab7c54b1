import { relative } from 'node:path';
import { Readable } from 'node:stream';
import type { Container } from 'dockerode';
import { pack } from 'tar-stream';
import { callDocker, ensure } from '../../engine/client/errors.ts';
import type { Owner } from '../../engine/images/image-user.ts';
import { labelFilter, tenantLabels } from '../../engine/labels.ts';
import { volumeName } from '../../engine/names.ts';
import type { TenantSpace } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';

/** The volumes of the tenants. They outlive every container; only `removeAll` removes them. */
export class Volumes {
  readonly #context: DockerContext;

  constructor(context: DockerContext) {
    this.#context = context;
  }

  /** Creates the volume if it is missing (an existing one is returned). */
  async ensure(tenant: TenantSpace, holds: 'data' | 'imports' | 'db'): Promise<void> {
    await callDocker(() =>
      this.#context.dockerWithTimeout.createVolume({
        Name: volumeName(tenant, holds),
        Labels: { ...tenantLabels(this.#context.instance, tenant) },
      }),
    );
  }

  async remove(tenant: TenantSpace, holds: 'data' | 'imports' | 'db'): Promise<void> {
    await this.#remove(volumeName(tenant, holds));
  }

  async removeAll(tenant: TenantSpace): Promise<void> {
    const wanted = labelFilter({ instance: this.#context.instance, tenant: tenant.id });
    const { Volumes: volumes } = await callDocker(() =>
      this.#context.dockerWithTimeout.listVolumes({ filters: wanted }),
    );
    for (const { Name: name } of volumes ?? []) await this.#remove(name);
  }

  async #remove(name: string): Promise<void> {
    // A missing one is success (dockerode does not pass the engine's `force` on); one in use is an error.
    await ensure(() => this.#context.dockerWithTimeout.getVolume(name).remove());
  }
}

/**
 * Gives directories of a container (mounted volumes) to a user, without running anything in it: the engine unpacks an archive
 * with only the directories. Works on a container that was never started.
 */
export async function giveDirectories(container: Container, paths: readonly string[], owner: Owner): Promise<void> {
  const archive = pack();
  for (const path of paths) archive.entry({ name: relative('/', path), type: 'directory', mode: 0o755, ...owner });
  archive.finalize();
  const content = Readable.from(archive, { objectMode: false });
  await callDocker(() => container.putArchive(content, { path: '/' }));
}
