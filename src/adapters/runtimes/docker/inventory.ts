import { callDocker } from '../engine/client/errors.ts';
import { label, labelFilter } from '../engine/labels.ts';
import { slotOf } from '../engine/names.ts';
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
