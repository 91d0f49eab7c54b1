import { slugName } from '../config-values.ts';
import type { SiteRole } from '../proxy.ts';

/** The kinds of elements in Traefik's API, by their paths. */
export const elementKinds = ['routers', 'services', 'middlewares'] as const;
export type ElementKind = (typeof elementKinds)[number];

export type Scheme = 'http' | 'https';

/**
 * Names of a tenant's elements at Traefik, where all names of one kind share a namespace: a slug has no underscore, so two
 * tenants can't have the same name.
 */
export interface SiteNames {
  headers: string;
  compress: string;
  redirect: string;
  retry: string;
  transport: string;
  service(role: SiteRole): string;
  /** The address that should answer, alone. */
  live(role: SiteRole): string;
  /** All addresses, in turn. */
  all(role: SiteRole): string;
  router(role: SiteRole, scheme: Scheme): string;
}

/** @throws for an invalid slug */
export function siteNames(slug: string): SiteNames {
  const prefix = `tenantry_${slugName(slug)}`;
  return {
    headers: `${prefix}_headers`,
    compress: `${prefix}_compress`,
    redirect: `${prefix}_redirect`,
    retry: `${prefix}_retry`,
    transport: `${prefix}_transport`,
    service: (role) => `${prefix}_${role}`,
    live: (role) => `${prefix}_${role}_live`,
    all: (role) => `${prefix}_${role}_all`,
    router: (role, scheme) => `${prefix}_${role}_${scheme}`,
  };
}
