import type { TenantSpace } from '../runtime.ts';

/** Labels on everything that we create in the engine; garbage collection uses only these, never names. */
export const label = {
  /** The manager that created it: several can share an engine. */
  instance: 'org.tenantry.instance',
  tenant: 'org.tenantry.tenant',
  slug: 'org.tenantry.slug',
  /** `api`, `frontend`, `db`, `job` or `preflight`. */
  role: 'org.tenantry.role',
  commit: 'org.tenantry.commit',
  release: 'org.tenantry.release',
  /** A random id of one staging, or `none` for the empty placeholder that means: there was no generation before this one. */
  generation: 'org.tenantry.generation',
  /** A digest of the container's plan: equal digests are the same unit. */
  spec: 'org.tenantry.spec',
  /** The port the unit listens on inside its container. */
  port: 'org.tenantry.port',
  /** Swarm: the slot of a unit's service, `next`, `live` or `previous`. */
  slot: 'org.tenantry.slot',
  /** Swarm: whether a unit is to run while its service is live, `running` or `stopped`. */
  desired: 'org.tenantry.desired',
  /** Swarm: `none` on a live service says that its activation is not committed and that there was no generation before it. */
  before: 'org.tenantry.before',
} as const;

export type Labels = Record<string, string>;

/** The labels of an object that belongs to a tenant. */
export function tenantLabels(instance: string, tenant: Pick<TenantSpace, 'id' | 'slug'>): Labels {
  return { [label.instance]: instance, [label.tenant]: tenant.id, [label.slug]: tenant.slug };
}

/** Labels with empty values, which replace those that a container would take from its image. */
export const emptied = (labels: Labels | undefined | null): Labels =>
  Object.fromEntries(Object.keys(labels ?? {}).map((name) => [name, '']));

/** Whether this manager created it for this tenant. */
export function isOf(instance: string, tenant: Pick<TenantSpace, 'id'>, labels: Labels | undefined | null): boolean {
  return labels?.[label.instance] === instance && labels[label.tenant] === tenant.id;
}

/** The engine's filter for objects with these labels. */
export function labelFilter(wanted: Partial<Record<keyof typeof label, string>>): { label: string[] } {
  const entries = Object.entries(wanted) as [keyof typeof label, string][];
  return { label: entries.map(([key, value]) => `${label[key]}=${value}`) };
}
