import type { Metrics } from '../../lib/http/responses/metrics.ts';
import type { App } from '../composition/app.ts';

/** The features' own figures on `/metrics`. */
export function addGauges(metrics: Metrics, house: App): void {
  metrics.gauge({
    name: 'tenantry_tenants',
    help: 'Tenants by status',
    labels: ['status'],
    collect: async () =>
      Object.entries((await house.tenants.counts()).byStatus).map(([status, value]) => ({ labels: { status }, value })),
  });
  metrics.gauge({
    name: 'tenantry_tenants_health',
    help: 'Tenants by the result of their last health check',
    labels: ['health'],
    collect: async () =>
      Object.entries((await house.tenants.counts()).byHealth).map(([health, value]) => ({ labels: { health }, value })),
  });
  metrics.gauge({
    name: 'tenantry_operations',
    help: 'Operations by state: queued, running',
    labels: ['state'],
    collect: async () => Object.entries(house.engine.counts()).map(([state, value]) => ({ labels: { state }, value })),
  });
  metrics.gauge({
    name: 'tenantry_fleet_upgrades',
    help: 'Fleet upgrades by status; a halted one waits for somebody to look',
    labels: ['status'],
    collect: async () => (await house.fleets.statuses()).map(([status, value]) => ({ labels: { status }, value })),
  });
  metrics.gauge({
    name: 'tenantry_imports',
    help: 'Work of the list loader by state: queued, running',
    labels: ['state'],
    collect: async () =>
      Object.entries(house.imports.engine.counts()).map(([state, value]) => ({ labels: { state }, value })),
  });
  metrics.gauge({
    name: 'tenantry_proxy_sites',
    help: 'Tenants’ sites at the reverse proxy, by what the last look found: in_sync, edited, missing, outdated, orphan',
    labels: ['state'],
    collect: async () => [...house.proxying.states()].map(([state, value]) => ({ labels: { state }, value })),
  });
  metrics.gauge({
    name: 'tenantry_certificate_failures',
    help: 'Sites for which the last attempts brought no certificate',
    collect: async () => [{ value: await house.proxying.withoutCertificate() }],
  });
  metrics.gauge({
    name: 'tenantry_certificate_not_after_seconds',
    help: 'When the certificate of a tenant’s site expires, in seconds since 1970',
    labels: ['tenant'],
    collect: async () =>
      (await house.proxying.certificates()).map(({ slug, notAfter }) => ({
        labels: { tenant: slug },
        value: notAfter.getTime() / 1000,
      })),
  });
}
