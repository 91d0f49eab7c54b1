import type { SiteRole } from '../../adapters/proxies/proxy.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import { createSites, type Sites, type SitesDeps } from '../../features/sites/sites.ts';
import { spaceOf, type Tenant } from '../../features/tenants/tenant.ts';
import type { Config } from '../config/config.ts';
import type { HostEnvironment } from '../config/host-environment.ts';
import { chooseCertificates } from './adapters/choose-certificates.ts';
import { chooseProxy } from './adapters/choose-proxy.ts';

interface ProxyingParts
  extends Omit<SitesDeps, 'proxy' | 'authority' | 'resolver' | 'upstreamsOf' | 'hstsDays' | 'proofTimeoutMs'> {
  config: Config;
  host: HostEnvironment;
  runtime: Runtime;
  settings: { read(key: 'hsts_max_age_days'): Promise<number> };
  healthTimeoutMs: number;
}

/** The reverse proxy, the certificates, and tenants' sites there. */
export function composeSites({ config, host, runtime, settings, healthTimeoutMs, ...deps }: ProxyingParts) {
  const proxy = chooseProxy({ config, host, logger: deps.logger });
  const upstream = (tenant: Tenant, role: SiteRole) =>
    runtime.proxyAddress({ tenant: spaceOf(tenant), role }, role === 'api' ? tenant.backendPort : tenant.frontendPort);
  const sites: Sites = createSites({
    ...deps,
    proxy,
    ...chooseCertificates(config, proxy, deps.clock),
    upstreamsOf: async (tenant) => ({
      frontend: await upstream(tenant, 'frontend'),
      api: await upstream(tenant, 'api'),
    }),
    hstsDays: () => settings.read('hsts_max_age_days'),
    proofTimeoutMs: healthTimeoutMs,
  });
  return { proxy, sites };
}
