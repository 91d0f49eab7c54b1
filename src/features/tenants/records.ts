import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { PortService } from '../ports/ports.ts';
import { createTenantStore, type TenantRow, type TenantStore } from './store.ts';
import { createTags } from './tags/tags.ts';
import type { Tenant } from './tenant.ts';

/** Tenants' tables, and whole tenants read from them and their ports. */
export function createTenantRecords(store: Store, ports: PortService) {
  const rows = createTenantStore(store);
  async function assemble(found: readonly TenantRow[], transaction?: Transaction): Promise<Tenant[]> {
    const ids = found.map((row) => row.id);
    const domains = await rows.domainsOf(ids, transaction);
    const pairs = await ports.pairsOf(ids, transaction);
    // A tenant deleted since its row was read has no domains and ports, and is skipped.
    return found.flatMap((row) => {
      const [names, pair] = [domains.get(row.id), pairs.get(row.id)];
      return names && pair ? [tenantOf(row, names, pair)] : [];
    });
  }
  return {
    rows,
    tags: createTags(store, rows),
    assemble,
    async find(by: { id: string } | { slug: string }, transaction?: Transaction): Promise<Tenant | undefined> {
      const row = await rows.find(by, transaction);
      return row ? (await assemble([row], transaction))[0] : undefined;
    },
  };
}

export type TenantRecords = ReturnType<typeof createTenantRecords>;

function tenantOf(
  row: TenantRow,
  names: { domain: string; apiDomain: string },
  pair: { frontend: number; backend: number },
): Tenant {
  return {
    id: row.id,
    name: row.name,
    slug: row.slug,
    domain: names.domain,
    apiDomain: names.apiDomain,
    status: row.status,
    healthStatus: row.healthStatus,
    healthDetails: row.healthDetails,
    healthSince: row.healthSince,
    frontendPort: pair.frontend,
    backendPort: pair.backend,
    directory: row.directory,
    databaseSlot: row.databaseSlot,
    lostData: row.lostData,
    gitRepo: row.gitRepo,
    notes: row.notes,
    tags: row.tags ?? [],
    createdAt: row.createdAt,
    deployedAt: row.deployedAt,
    deployed: row.deployedRelease,
  };
}

const pageSize = 200;
/** A slow consumer gets tenants from a page for this long; then the page is read again. */
export const maxPageAgeMs = 1_000;

/** All tenants ordered by id, read in pages; see Tenants.each. */
export async function* eachTenant(
  rows: Pick<TenantStore, 'batch'>,
  records: Pick<TenantRecords, 'assemble'>,
  deployedOnly: boolean,
): AsyncGenerator<Tenant> {
  let after: string | undefined = '';
  while (after !== undefined) {
    const readAt = performance.now();
    const page = await rows.batch(after, pageSize, deployedOnly);
    after = page.length < pageSize ? undefined : page.at(-1)?.id;
    const tenants = await records.assemble(page);
    for (const tenant of tenants) {
      yield tenant;
      if (performance.now() - readAt > maxPageAgeMs && tenant !== tenants.at(-1)) {
        after = tenant.id;
        break;
      }
    }
  }
}
