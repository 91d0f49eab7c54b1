import { createHash } from 'node:crypto';
import { checkedSlug } from '../../import-files.ts';
import type { TenantSpace, UnitRole } from '../../runtime.ts';
import { unitName } from '../../unit-name.ts';

/** The unit's name at systemd. */
export const serviceName = (slug: string, role: UnitRole): string => `${unitName(checkedSlug(slug), role)}.service`;

/** Prefix of our system users' names; Linux allows 32 characters, so the rest is a digest. */
const userPrefix = 'tenantry-';

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** The user a tenant's units run as. */
export const tenantUser = (instance: string, tenant: TenantSpace): string =>
  `${userPrefix}${digest(`${instance}/tenant/${tenant.id}`)}`;

/** The user a release's install line runs as. */
export const installUser = (instance: string, releaseKey: string): string =>
  `${userPrefix}${digest(`${instance}/release/${releaseKey}`)}`;

/** Transient units (jobs, installs) are identified only by their names. */
export interface TransientNames {
  job(tenantId: string, id: string): string;
  install(id: string): string;
  /** Matches all of this instance, as a systemctl pattern. */
  readonly pattern: string;
  /** The tenant of a job; undefined for other names. */
  tenantOf(name: string): string | undefined;
}

/** @param instance letters, digits, `-` and `_` */
export function transientNames(instance: string): TransientNames {
  const prefix = `tenantry.${instance}.`;
  return {
    job: (tenantId, id) => `${prefix}job.${tenantId}.${id}.service`,
    install: (id) => `${prefix}install.${id}.service`,
    pattern: `${prefix}*`,
    tenantOf(name) {
      const [what, tenantId] = name.startsWith(prefix) ? name.slice(prefix.length).split('.') : [];
      return what === 'job' ? tenantId : undefined;
    },
  };
}
