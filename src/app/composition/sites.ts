import type { SiteRole } from '../../adapters/proxies/proxy.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Settings } from '../../features/settings/settings.ts';
import { createSites, type Sites, type SitesDeps, type Upstreams } from '../../features/sites/sites.ts';
import { portOf, spaceOf, type Tenant } from '../../features/tenants/tenant.ts';
import type { Config } from '../config/config.ts';
import type { HostEnvironment } from '../config/host-environment.ts';
import { chooseCertificates } from './adapters/choose-certificates.ts';
import { chooseProxy } from './adapters/choose-proxy.ts';

/** The reverse proxy, the certificates, and tenants' sites there. */
export async function composeSites({
  store,
  clock,
  logger,
  events,
  writeAuditLog,
  secretBox,
  tenants,
  engine,
  runtime,
  settings,
  config,
  host,
  proofTimeoutMs,
}: Omit<SitesDeps, 'proxy' | 'authority' | 'resolver' | 'upstreamsOf' | 'hstsDays' | 'dns'> & {
  runtime: Pick<Runtime, 'proxyAddress' | 'backupAddresses' | 'onMove'>;
  settings: Pick<Settings, 'read'>;
  config: Config;
  host: HostEnvironment;
}) {
  const proxy = await chooseProxy({ config, host, logger });
  const certificates = await chooseCertificates(config, proxy, clock);
  async function addressesOf(tenant: Tenant, role: SiteRole): Promise<Upstreams> {
    const unit = { tenant: spaceOf(tenant), role };
    const upstream = await runtime.proxyAddress(unit, portOf(tenant, role));
    const backups = await runtime.backupAddresses?.(upstream);
    if (!backups || backups.length === 0) return { upstream };
    return { upstream, backups, ...(tenant.deployed ? { healthPath: tenant.deployed.units[role].health } : {}) };
  }
  const sites: Sites = createSites({
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    secretBox,
    tenants,
    engine,
    proxy,
    authority: certificates.authority,
    resolver: certificates.resolver,
    upstreamsOf: async (tenant) => ({
      frontend: await addressesOf(tenant, 'frontend'),
      api: await addressesOf(tenant, 'api'),
    }),
    hstsDays: () => settings.read('hsts_max_age_days'),
    dns: { servers: config.DNS_SERVERS, publicAddresses: () => settings.read('public_addresses') },
    proofTimeoutMs,
  });
  runtime.onMove?.((tenantId) => void sites.follow(tenantId));
  return { proxy, sites };
}
