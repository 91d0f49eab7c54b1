import { AppError } from '../../../lib/errors.ts';
import { callDocker } from '../engine/client/errors.ts';
import { label, labelFilter } from '../engine/labels.ts';
import { networkName, slotOf, volumeName } from '../engine/names.ts';
import { type PortHolder, processOnPort } from '../port-holder.ts';
import type { OwnedResource, TenantSpace } from '../runtime.ts';
import type { DockerContext } from './context.ts';
import type { Containers } from './units/containers.ts';

/** Everything in the engine with this manager's label. */
export async function listOwned({ dockerWithTimeout, instance }: DockerContext): Promise<OwnedResource[]> {
  const filters = labelFilter({ instance });
  const [containers, networks, volumes, images] = await callDocker(() =>
    Promise.all([
      dockerWithTimeout.listContainers({ all: true, filters }),
      dockerWithTimeout.listNetworks({ filters }),
      dockerWithTimeout.listVolumes({ filters }),
      dockerWithTimeout.listImages({ filters }),
    ]),
  );
  return [
    ...containers.map(({ Names: [name = ''], Labels: labels }) => ({
      kind: kindOf(labels[label.role]),
      name: name.slice(1),
      tenantId: labels[label.tenant] ?? null,
    })),
    ...networks.map(({ Name: name, Labels: labels }) => ({
      kind: 'network' as const,
      name,
      tenantId: labels?.[label.tenant] ?? null,
    })),
    ...(volumes.Volumes ?? []).map(({ Name: name, Labels: labels }) => ({
      kind: 'volume' as const,
      name,
      tenantId: labels?.[label.tenant] ?? null,
    })),
    ...images.map(({ Id: id, RepoTags: tags }) => ({ kind: 'image' as const, name: tags?.[0] ?? id, tenantId: null })),
  ];
}

/** The running container that has published a port of the host, of any owner; else the process that listens on it. */
export async function holderOfPort(
  { dockerWithTimeout }: DockerContext,
  port: number,
): Promise<PortHolder | undefined> {
  const [found] = await callDocker(() => dockerWithTimeout.listContainers({ filters: { publish: [`${port}/tcp`] } }));
  if (!found) return processOnPort(port);
  const name = (found.Names[0] ?? found.Id).replace(/^\//, '');
  return { name: `container ${name}`, slug: found.Labels[label.slug] ?? null };
}

/** Tenants with a container in a slot other than live. */
export async function tenantsWithPendingChanges({ dockerWithTimeout, instance }: DockerContext): Promise<string[]> {
  const found = await callDocker(() =>
    dockerWithTimeout.listContainers({ all: true, filters: labelFilter({ instance }) }),
  );
  const between = found.filter(({ Names: [name = ''] }) => slotOf(name) !== 'live');
  return [...new Set(between.flatMap(({ Labels: labels }) => labels[label.tenant] ?? []))];
}

/**
 * The engine removes no network or volume that a container uses.
 * @param guests containers that are in all networks, by name or id
 * @throws AppError invalid_state naming the containers of others that use the tenant's
 */
export async function assertNoForeign(
  { dockerWithTimeout, instance }: DockerContext,
  tenant: TenantSpace,
  guests: readonly (string | undefined)[],
): Promise<void> {
  const network = networkName(tenant.slug);
  const volumes = (['data', 'imports', 'db'] as const).map((holds) => volumeName(tenant, holds));
  const [inNetwork, withVolume] = await callDocker(() =>
    Promise.all([
      dockerWithTimeout.listContainers({ filters: { network: [network] } }),
      dockerWithTimeout.listContainers({ all: true, filters: { volume: volumes } }),
    ]),
  );
  const foreign = (found: typeof inNetwork): string =>
    found
      .filter(({ Id: id, Names: names, Labels: labels }) => {
        const isGuest = guests.some((guest) => guest === id || names.includes(`/${guest}`));
        return !isGuest && labels[label.instance] !== instance;
      })
      .map(({ Names: [name = ''] }) => name.slice(1))
      .join(', ');
  const [members, users] = [foreign(inNetwork), foreign(withVolume)];
  const reasons = [
    members &&
      `its network ${network} has the container ${members}: run docker network disconnect ${network} ${members}`,
    users && `the container ${users} uses its volumes: remove that container`,
  ].filter((reason) => reason !== '');
  if (reasons.length > 0)
    throw new AppError(
      'invalid_state',
      `${tenant.slug} can’t be removed while containers of others use what belongs to it: ${reasons.join('; ')}. Then try again.`,
    );
}

/** Stops and removes all containers of a tenant, whatever their role. */
export async function removeContainers(
  { dockerWithTimeout, instance }: DockerContext,
  containers: Containers,
  tenant: TenantSpace,
): Promise<void> {
  const filters = labelFilter({ instance, tenant: tenant.id });
  const found = await callDocker(() => dockerWithTimeout.listContainers({ all: true, filters }));
  // A tenant that was moved to a Swarm of the same engine has its tasks there, with the same labels.
  const own = found.filter(({ Labels: labels }) => labels['com.docker.swarm.task.id'] === undefined);
  await Promise.all(
    own.map(async ({ Id: id }) => {
      await containers.halt(id);
      await containers.remove(id);
    }),
  );
}

function kindOf(role: string | undefined): 'unit' | 'database' | 'job' {
  if (role === 'db') return 'database';
  return role === 'job' ? 'job' : 'unit';
}
