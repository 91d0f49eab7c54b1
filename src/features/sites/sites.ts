import type { CertificateAuthority } from '../../adapters/certificates/certificates.ts';
import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { ProxyAnswer, ReverseProxy, SiteReply, SiteRequest, SiteRole } from '../../adapters/proxies/proxy.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Work } from '../../lib/concurrency/work.ts';
import { AppError } from '../../lib/errors.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import type { LiveRelease, Tenant } from '../tenants/tenant.ts';
import type { Tenants } from '../tenants/tenants.ts';
import { type AcmeAccountStore, createAcmeAccountStore } from './certificates/acme-account-store.ts';
import { createCertificateStore } from './certificates/certificate-store.ts';
import { createCertificateIssuer } from './certificates/issue-certificate.ts';
import { createRenewal } from './certificates/renewal.ts';
import { createRevocation } from './certificates/revocation.ts';
import { createDnsCheck, type DnsCheckDeps, type DnsResult, dnsCheckRoutes } from './dns-check.ts';
import { type ConfigState, createDrift } from './drift/drift.ts';
import { type CertificateState, createOverview } from './drift/overview.ts';
import { proxyRoutes } from './routes.ts';
import type { UpstreamsOf } from './site.ts';
import { createProxyStore } from './store.ts';
import { createChangeNote } from './sync/last-change.ts';
import { createSiteManager } from './sync/site-manager.ts';
import { createSiteSteps, type SiteSteps } from './sync/site-steps.ts';
import { createSiteSync } from './sync/site-sync.ts';

export type { Upstreams } from './site.ts';

export interface SitesDeps {
  store: Store;
  secretBox: SecretBox;
  proxy: ReverseProxy;
  /** Creates the certificate authority with the store for its account keys; undefined: none. */
  authority(accounts: AcmeAccountStore): CertificateAuthority | undefined;
  /** The proxy obtains certificates itself. */
  resolver: boolean;
  upstreamsOf: UpstreamsOf;
  hstsDays(): Promise<number>;
  dns: DnsCheckDeps;
  tenants: Pick<Tenants, 'get' | 'find' | 'namesOf'>;
  engine: OperationEngine;
  events: EventBus;
  writeAuditLog: WriteAuditLog;
  clock: Clock;
  logger: Logger;
  /** How long a site whose tenant runs may take to answer through the proxy, in ms. */
  proofTimeoutMs: number;
}

export interface Sites {
  routes: Route[];
  steps: SiteSteps;
  /** Takes a tenant's site out of service and revokes its certificates. @returns whether there was one. @throws AppError proxy_unavailable */
  remove(tenant: Tenant, work: Work): Promise<boolean>;
  /** @throws AppError proxy_unavailable if a site is in service and the proxy is unavailable */
  assertRemovable(tenantId: string): Promise<void>;
  /** Syncs a site with its tenant's host names, in the background. */
  sync(tenantId: string): Promise<boolean>;
  /** Applies a site again after a unit of its tenant moved to another node. */
  follow(tenantId: string): Promise<void>;
  /** The same for all sites: units may have moved while no manager ran. */
  followAll(): Promise<void>;
  /** Stops waiting for operations. */
  close(): void;
  /** Checks all sites for drift and syncs outdated ones. */
  checkDrift(): Promise<void>;
  /** Obtains the certificates that are due. */
  renew(signal: AbortSignal): Promise<number>;
  /** Probes both hosts through the proxy and returns the worse result; undefined without a site. */
  probe(
    tenant: Tenant,
    release: LiveRelease,
    options: { timeoutMs: number; signal?: AbortSignal | undefined },
  ): Promise<ProxyAnswer | undefined>;
  /** Sends requests to the host names of a tenant's site through the proxy; undefined without a site. */
  visitor(tenantId: string): Promise<((role: SiteRole, request: SiteRequest) => Promise<SiteReply>) | undefined>;
  certificateOf(tenantId: string): Promise<CertificateState | null>;
  /** Where host names lead. */
  dnsOf(names: readonly string[]): Promise<DnsResult[]>;
  /** How a tenant's site differs from the applied one; undefined without a site. */
  stateOf(tenantId: string): Promise<ConfigState | undefined>;
  /** Certificates in service, by slug. */
  certificates(): Promise<{ slug: string; notAfter: Date }[]>;
  /** How many sites failed to get a certificate in the last attempt. */
  withoutCertificate(): Promise<number>;
  /** Sites by the result of the last drift check. */
  states(): ReadonlyMap<ConfigState, number>;
}

/** Tenants' two host names at the reverse proxy, and their certificates. */
export function createSites(deps: SitesDeps): Sites {
  const { proxy, tenants, engine, events, writeAuditLog, clock } = deps;
  const rows = createProxyStore(deps.store, proxy.kind !== 'none');
  const certificateStore = createCertificateStore(rows, deps.secretBox);
  const authority = deps.authority(createAcmeAccountStore(rows, deps.secretBox, clock));
  const note = createChangeNote(clock);
  const sites = createSiteManager({ ...deps, rows, certificateStore, authority, note });
  const issuer = createCertificateIssuer({ ...deps, sites, rows, certificateStore, authority });
  const revoke = createRevocation({ certificateStore, authority, writeAuditLog, clock });
  const sync = (tenantId: string): Promise<boolean> => siteSync.now(tenantId);
  const steps = createSiteSteps({ sites, rows, issuer, proxy, tenants, sync });
  const closing = new AbortController();
  const siteSync = createSiteSync({ ...deps, rows, sites, steps, closing: closing.signal });
  const drift = createDrift({
    proxy,
    rows,
    sites,
    tenants,
    retrySync: siteSync.retry,
    engine,
    writeAuditLog,
  });
  const overview = createOverview({ proxy, rows, certificateStore, sites, drift, note, clock });
  const dnsOf = createDnsCheck(deps.dns);
  const renew = createRenewal({ ...deps, authority, rows, sites, issuer });

  events.on('tenant_status', ({ tenant_id, status }) => {
    if (status === 'deleted') certificateStore.forget(tenant_id);
  });

  return {
    routes: [...proxyRoutes({ proxy, drift, overview, tenants, clock, writeAuditLog }), ...dnsCheckRoutes(dnsOf)],
    steps,

    async remove(tenant, work) {
      const wasThere = (await sites.inService(tenant.id)) !== null;
      const removed = await sites.remove(tenant, work);
      // After the removal: a site that stays in service needs a valid certificate.
      await revoke(tenant, work);
      return wasThere || removed;
    },

    async assertRemovable(tenantId) {
      if ((await sites.inService(tenantId)) === null) return;
      const answer = await proxy.availability();
      if (!answer.available) throw new AppError('proxy_unavailable', answer.reason);
    },

    sync,
    follow: siteSync.follow,
    async followAll() {
      // A tenant whose site can't follow yet must not delay the others.
      await Promise.all((await rows.all()).map(({ tenantId }) => siteSync.follow(tenantId)));
    },
    close: () => closing.abort(),
    checkDrift: drift.check,
    renew,

    async probe(tenant, release, options) {
      const site = await sites.inService(tenant.id);
      if (!site) return undefined;
      const [frontend, api] = await Promise.all([
        proxy.probe(site.hosts.frontend, release.units.frontend.health, options),
        proxy.probe(site.hosts.api, release.units.api.health, options),
      ]);
      const named = (answer: ProxyAnswer, domain: string): ProxyAnswer =>
        answer.status === 'up' ? answer : { ...answer, error: `${domain}: ${answer.error ?? 'down'}` };
      return frontend.status === 'down'
        ? named(frontend, site.hosts.frontend.domain)
        : named(api, site.hosts.api.domain);
    },

    async visitor(tenantId) {
      const site = await sites.inService(tenantId);
      return site ? (role, request) => proxy.send(site.hosts[role], request) : undefined;
    },

    async certificateOf(tenantId) {
      const applied = await rows.of(tenantId);
      return applied ? overview.certificateOf(applied) : null;
    },

    dnsOf,
    async stateOf(tenantId) {
      const applied = await rows.of(tenantId);
      return applied && drift.stateOf(applied);
    },

    async certificates() {
      const all = await rows.all();
      const found = await Promise.all(
        all.map(async (applied) => ({ slug: applied.site.tenant.slug, state: await overview.certificateOf(applied) })),
      );
      return found.flatMap(({ slug, state }) => (state ? [{ slug, notAfter: state.notAfter }] : []));
    },

    withoutCertificate: async () => (await rows.all()).filter((one) => one.certificateFailures > 0).length,
    states: drift.counts,
  };
}
