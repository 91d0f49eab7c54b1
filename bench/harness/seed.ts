import { join } from 'node:path';
import { openManagerStore } from '../../src/app/lifecycle/manager-store.ts';
import { newId } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';

/** The tenants to seed. */
export interface Seed {
  count: number;
  /** The ports of the tenant with this index. */
  ports(index: number): { frontend: number; backend: number };
  /** True: deployed and running; false: pending. */
  deployed: boolean;
}

const rowsAtATime = 100;
const begin = Date.UTC(2026, 0, 1);

/** Creates a SQLite store with the manager's schema and `count` tenants. Returns its path. */
export async function seedStore(directory: string, seed: Seed): Promise<string> {
  const path = join(directory, 'tenantry.db');
  const store = await openManagerStore(`sqlite:${path}`, createLogger({ level: 'silent' }));
  try {
    const tables = Object.entries(rowsOf(seed));
    await store.transaction(async (transaction) => {
      for (const [table, rows] of tables) {
        for (let at = 0; at < rows.length; at += rowsAtATime) {
          await store.sequelize
            .getQueryInterface()
            .bulkInsert(table, rows.slice(at, at + rowsAtATime), { transaction });
        }
      }
    });
  } finally {
    await store.close();
  }
  return path;
}

function rowsOf({ count, ports, deployed }: Seed): Record<string, object[]> {
  const tenants = Array.from({ length: count }, (_, index) => ({ id: newId(), slug: `tenant-${index}`, index }));
  return {
    // No scheduled sweep may start during a measurement.
    settings: [{ key: 'health_check_interval', value: '86400', updated_at: new Date(begin) }],
    tenants: tenants.map(({ id, slug, index }) => ({
      id,
      name: `Tenant ${index}`,
      slug,
      status: deployed ? 'running' : 'pending',
      health_status: deployed ? 'healthy' : 'unknown',
      health_details: null,
      git_repo: 'https://git.example.org/contacts.git',
      git_repo_sealed: null,
      notes: null,
      directory: `/var/lib/tenantry/tenants/${slug}`,
      deployed_version: deployed ? 'v1.0.0' : null,
      deployed_commit: deployed ? commit : null,
      deployed_release: deployed ? JSON.stringify(release) : null,
      created_at: new Date(begin + index * 1_000),
      deployed_at: deployed ? new Date(begin + index * 2_000) : null,
      search_text: `tenant ${index}\n${slug}\n${slug}.example.org\napi.${slug}.example.org`,
    })),
    tenant_domains: tenants.flatMap(({ id, slug }) => [
      { domain: `${slug}.example.org`, tenant_id: id, role: 'frontend' },
      { domain: `api.${slug}.example.org`, tenant_id: id, role: 'api' },
    ]),
    port_allocations: tenants.flatMap(({ id, index }) => {
      const { frontend, backend } = ports(index);
      return [
        { port: frontend, tenant_id: id, role: 'frontend', allocated_at: new Date(begin) },
        { port: backend, tenant_id: id, role: 'backend', allocated_at: new Date(begin) },
      ];
    }),
  };
}

export const commit = '0123456789abcdef0123456789abcdef01234567';

/** The release of every seeded tenant. It has no database, because the manager would check that with its own driver. */
const release = {
  version: 'v1.0.0',
  commit,
  key: `contacts-${commit}`,
  checkout: '/var/lib/tenantry/sources/contacts',
  units: {
    api: { port: 8000, health: '/api/health', probe: '/docs' },
    frontend: { port: 3000, health: '/' },
  },
  database: null,
};
