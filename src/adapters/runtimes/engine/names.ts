import type { TenantSpace, UnitRole } from '../runtime.ts';
import { unitName } from '../unit-name.ts';

/** The live generation's container has the unit's name; the others add their slot to it. */
export type Slot = 'live' | 'next' | 'previous';

/** The name of a unit's container in one of its three slots. */
export function containerName(slug: string, role: UnitRole, slot: Slot): string {
  return slot === 'live' ? unitName(slug, role) : `${unitName(slug, role)}.${slot}`;
}

/** The slot of a container, by its name; slugs contain no dot. */
export function slotOf(name: string): Slot {
  const slot = name.split('.')[1];
  return slot === 'next' || slot === 'previous' ? slot : 'live';
}

export const databaseName = (slug: string): string => unitName(slug, 'db');
export const networkName = (slug: string): string => `tenantry-${slug}`;
/** Another name: an engine of the swarm may have the network of a tenant that was moved. */
export const overlayName = (slug: string): string => `swarm-tenantry-${slug}`;

/** Volume names contain the tenant's id: a later tenant of the same slug never gets a removed tenant's data. */
export const volumeName = (tenant: TenantSpace, holds: 'data' | 'imports' | 'db'): string =>
  `tenantry-${tenant.id}-${holds}`;

/** The image of a unit at a release. */
export const imageName = (role: UnitRole, releaseKey: string): string => `tenantry/${role}:${releaseKey}`;

/** Whether a complete name (`docker.io/tenantry/api:…`) is one of a release's image. */
export const isReleaseImage = (name: string): boolean => /^docker\.io\/tenantry\/(?:api|frontend)[:@]/.test(name);
