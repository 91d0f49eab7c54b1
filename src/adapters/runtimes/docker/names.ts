import type { TenantSpace, UnitRole } from '../runtime.ts';

/** The live generation bears the unit's own name, the others that name and their place in its succession. */
export type Place = 'live' | 'next' | 'previous';

/** The container of a unit, in one of its three places. */
export function unitName(slug: string, role: UnitRole, place: Place = 'live'): string {
  return place === 'live' ? `${slug}-${role}` : `${slug}-${role}.${place}`;
}

/** The place a container's name stands for; slugs hold no dot. */
export function placeOf(name: string): Place {
  const place = name.split('.')[1];
  return place === 'next' || place === 'previous' ? place : 'live';
}

export const databaseName = (slug: string): string => `${slug}-db`;
export const networkName = (slug: string): string => `tenantry-${slug}`;

/** Volumes bear the tenant's id: what a removed tenant left never comes into the hands of a later one of the same slug. */
export const volumeName = (tenant: TenantSpace, holds: 'data' | 'imports' | 'db'): string =>
  `tenantry-${tenant.id}-${holds}`;

/** The image of a unit at a release. */
export const imageName = (role: UnitRole, releaseKey: string): string => `tenantry/${role}:${releaseKey}`;
