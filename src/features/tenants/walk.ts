import type { TenantRecords } from './records.ts';
import type { TenantStore } from './store.ts';
import type { Tenant } from './tenant.ts';

const pageSize = 200;
/** How long a page is given out: one who takes his time sees tenants as they are, not as they were. */
export const pageAgeMs = 1_000;

/** All tenants by id, read in pages; see TenantService.each. */
export async function* walk(
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
      if (performance.now() - readAt > pageAgeMs && tenant !== tenants.at(-1)) {
        after = tenant.id;
        break;
      }
    }
  }
}
