import { type ReverseProxy, type Site, siteRoles } from '../../../adapters/proxies/proxy.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import { domainsOf } from '../site.ts';
import type { Work } from '../sites.ts';
import { pathOf } from './rendering.ts';

interface OrphanClearingDeps {
  proxy: Pick<ReverseProxy, 'found' | 'remove' | 'render'>;
  tenants: { find(id: string): Promise<Tenant | undefined> };
}

/**
 * The sites that deleted tenants were to leave (`remove_proxy=false`) give their host names up to the tenant that has them now;
 * two sites with one name a proxy does not take.
 * @returns whether there was one
 */
export async function clearOrphans(site: Site, { proxy, tenants }: OrphanClearingDeps, work: Work): Promise<boolean> {
  const wanted = new Set(domainsOf(site));
  let cleared = false;
  for (const { tenant, path, domains } of await proxy.found()) {
    const shared = siteRoles.map((role) => domains[role]).filter((domain) => wanted.has(domain));
    if (shared.length === 0 || tenant.id === site.tenant.id || (await tenants.find(tenant.id))) continue;
    // Removed by its slug: a copy by hand may lie elsewhere, and a new tenant of that slug has its site there.
    if (path !== pathOf(proxy, { tenant })) continue;
    work.log(`${shared.join(' and ')} was still served for ${tenant.slug}, which is deleted; that site goes`);
    await proxy.remove(tenant, work);
    cleared = true;
  }
  return cleared;
}
