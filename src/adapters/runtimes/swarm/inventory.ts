import { label, labelFilter } from '../engine/labels.ts';
import { containerName, type Slot } from '../engine/names.ts';
import { isPending } from '../life-cycle.ts';
import type { OwnedResource, UnitRole } from '../runtime.ts';
import { listServices, type Service } from './client/services.ts';
import type { SwarmContext } from './context.ts';
import { probeId } from './nodes/network-probe.ts';
import { slotsOf } from './units/generations.ts';

/** Everything in the swarm with this manager's label. */
export async function listOwned(context: SwarmContext): Promise<OwnedResource[]> {
  const { call, instance } = context;
  const filters = labelFilter({ instance });
  const [services, networks, secrets] = await Promise.all([
    listServices(context),
    call((docker) => docker.listNetworks({ filters: { ...filters, driver: ['overlay'] } })),
    call((docker) => docker.listSecrets({ filters })),
  ]);
  const tenantOf = (labels: Record<string, string> | null | undefined): string | null => labels?.[label.tenant] ?? null;
  return [
    ...services.filter(({ labels }) => labels[label.tenant] !== undefined).map(resourceOf),
    ...networks
      .filter(({ Labels: labels }) => tenantOf(labels) !== probeId)
      .map(({ Name: name, Labels: labels }) => ({
        kind: 'network' as const,
        name,
        tenantId: tenantOf(labels),
      })),
    ...secrets.map(({ Spec: spec }) => ({
      kind: 'secret' as const,
      name: spec?.Name ?? '',
      tenantId: tenantOf(spec?.Labels),
    })),
  ];
}

/** A unit's service appears by its slot, as a container does. */
function resourceOf({ name, labels }: Service): OwnedResource {
  const tenantId = labels[label.tenant] ?? null;
  const role = labels[label.role];
  if (role === 'job') return { kind: 'job', name, tenantId };
  const slot = (labels[label.slot] ?? 'live') as Slot;
  return { kind: 'unit', name: containerName(labels[label.slug] ?? '', role as UnitRole, slot), tenantId };
}

export async function tenantsWithPendingChanges(context: SwarmContext): Promise<string[]> {
  const units = Map.groupBy(
    (await listServices(context)).filter(({ labels }) => labels[label.slot] !== undefined),
    ({ labels }) => `${labels[label.tenant]} ${labels[label.role]}`,
  );
  const pending = [...units.values()].filter((services) => isPending(slotsOf(services)));
  return [...new Set(pending.flatMap(([service]) => service?.labels[label.tenant] ?? []))];
}
