import type { DatabaseOwner } from '../tenant-database.ts';

type Owner = Pick<DatabaseOwner, 'tenant' | 'slot'>;

/** The name of one of a tenant's two databases. */
const inSlot = (name: string, slot: DatabaseOwner['slot']): string => (slot === 0 ? name : `${name}_2`);

const plain = (text: string): string => text.replaceAll(/[^a-zA-Z0-9]/g, '_');

/** On a server of the tenant's own: its slug with `_` for `-`, for the database and the account. */
export function ownNames({ tenant, slot }: Owner): { database: string; user: string } {
  const name = plain(tenant.slug);
  // No account may be called root, and no database like one of the server's own.
  const reserved = ['root', 'mysql', 'sys', 'test', 'healthcheck', 'information_schema', 'performance_schema'];
  const safe = reserved.includes(name) ? `${name}_db` : name;
  return { database: inSlot(safe, slot), user: safe };
}

/**
 * On a shared server. The id separates the data of a removed tenant from a new one's of the same slug; an account's name has at
 * most 32 characters (MySQL).
 */
export function sharedNames({ tenant, slot }: Owner): { database: string; user: string } {
  const id = plain(tenant.id).replaceAll('_', '');
  const database = `tenantry_${plain(tenant.slug)}_${id.slice(0, 8)}`;
  return { database: inSlot(database, slot), user: `tenantry_${id.slice(0, 20)}` };
}
