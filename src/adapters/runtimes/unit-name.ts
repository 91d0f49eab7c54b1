import type { UnitRole } from './runtime.ts';

/** The name of a tenant's unit (`db`: its database server, `job`: a job) in container names, service names, logs and messages. */
export const unitName = (slug: string, role: UnitRole | 'db' | 'job'): string => `${slug}-${role}`;
