import { slugName } from '../config-values.ts';
import type { SiteRole } from '../proxy.ts';

/** What Traefik's API tells of, by the names of its addresses. */
export const elementKinds = ['routers', 'services', 'middlewares'] as const;
export type ElementKind = (typeof elementKinds)[number];

export type Scheme = 'http' | 'https';

/**
 * What a tenant's parts are called at Traefik, where all names of one kind share a space: a slug has no underscore, so no two
 * tenants can make the same name.
 */
export interface SiteNames {
  headers: string;
  compress: string;
  redirect: string;
  transport: string;
  service(role: SiteRole): string;
  router(role: SiteRole, scheme: Scheme): string;
}

/** @throws for a slug that is none */
export function siteNames(slug: string): SiteNames {
  const prefix = `tenantry_${slugName(slug)}`;
  return {
    headers: `${prefix}_headers`,
    compress: `${prefix}_compress`,
    redirect: `${prefix}_redirect`,
    transport: `${prefix}_transport`,
    service: (role) => `${prefix}_${role}`,
    router: (role, scheme) => `${prefix}_${role}_${scheme}`,
  };
}
