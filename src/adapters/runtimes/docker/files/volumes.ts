import { relative } from 'node:path';
import { Readable } from 'node:stream';
import type { Container } from 'dockerode';
import { pack } from 'tar-stream';
import { z } from 'zod';
import { diskUsage } from '../../engine/client/docker-client.ts';
import { callDocker, ensure } from '../../engine/client/errors.ts';
import type { Owner } from '../../engine/images/image-user.ts';
import { label, labelFilter, tenantLabels } from '../../engine/labels.ts';
import { volumeName } from '../../engine/names.ts';
import type { TenantSpace } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';

const measuredWithinMs = 120_000;
/** The part of the engine's answer that counts here. */
const volumes = z
  .array(
    z.object({
      Labels: z.record(z.string(), z.string()).nullish(),
      UsageData: z.object({ Size: z.number() }).nullish(),
    }),
  )
  .nullish();
/** Before and after API 1.52. */
const measured = z.object({ Volumes: volumes, VolumesUsage: z.object({ Items: volumes }).nullish() });

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

  /** Which of these volumes do not exist at the engine. */
  async missing(names: readonly string[]): Promise<string[]> {
    const filters = labelFilter({ instance: this.#context.instance });
    const { Volumes: found } = await callDocker(() => this.#context.dockerWithTimeout.listVolumes({ filters }));
    const there = new Set((found ?? []).map(({ Name: name }) => name));
    return names.filter((name) => !there.has(name));
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

  /**
   * What the volumes of all tenants use, by the tenant's id. The engine measures them, slowly.
   * @throws AppError runtime_unavailable; DockerApiError; the signal's reason; an error after two minutes
   */
  async usedBytes(signal: AbortSignal): Promise<Map<string, number>> {
    const { docker, instance, logger } = this.#context;
    const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(measuredWithinMs)]);
    const found = measured.parse(await callDocker(() => diskUsage(docker, 'volume', abortSignal), abortSignal));
    const all = found.VolumesUsage?.Items ?? found.Volumes;
    if (all === undefined) logger.warn('the engine does not say what volumes use, so tenants’ disk usage is not known');
    const used = new Map<string, number>();
    for (const { Labels: labels, UsageData: usage } of all ?? []) {
      const tenant = labels?.[label.instance] === instance ? labels[label.tenant] : undefined;
      // -1: unknown, such as that of another driver.
      if (tenant !== undefined && usage && usage.Size >= 0) used.set(tenant, (used.get(tenant) ?? 0) + usage.Size);
    }
    return used;
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
