import type { Metrics } from '../../lib/http/responses/metrics.ts';
import type { App } from '../composition/app.ts';

/** The features' own figures on `/metrics`. */
export function addGauges(metrics: Metrics, app: App): void {
  for (const gauge of app.history.gauges) metrics.gauge(gauge);
  metrics.gauge({
    name: 'tenantry_tenants',
    help: 'Tenants by status',
    labels: ['status'],
    collect: async () =>
      Object.entries((await app.tenants.counts()).byStatus).map(([status, value]) => ({ labels: { status }, value })),
  });
  metrics.gauge({
    name: 'tenantry_tenants_health',
    help: 'Tenants by the result of their last health check',
    labels: ['health'],
    collect: async () =>
      Object.entries((await app.tenants.counts()).byHealth).map(([health, value]) => ({ labels: { health }, value })),
  });
  metrics.gauge({
    name: 'tenantry_operations',
    help: 'Operations by state: queued, running',
    labels: ['state'],
    collect: async () => Object.entries(app.engine.counts()).map(([state, value]) => ({ labels: { state }, value })),
  });
  metrics.gauge({
    name: 'tenantry_fleet_upgrades',
    help: 'Fleet upgrades by status; a halted one waits for somebody to look',
    labels: ['status'],
    collect: async () => (await app.fleets.statuses()).map(([status, value]) => ({ labels: { status }, value })),
  });
  metrics.gauge({
    name: 'tenantry_imports',
    help: 'Work of the list loader by state: queued, running',
    labels: ['state'],
    collect: async () =>
      Object.entries(app.imports.engine.counts()).map(([state, value]) => ({ labels: { state }, value })),
  });
  metrics.gauge({
    name: 'tenantry_proxy_sites',
    help: 'Tenants’ sites at the reverse proxy, by what the last look found: in_sync, edited, missing, outdated, orphan',
    labels: ['state'],
    collect: async () => [...app.sites.states()].map(([state, value]) => ({ labels: { state }, value })),
  });
  metrics.gauge({
    name: 'tenantry_certificate_failures',
    help: 'Sites for which the last attempts brought no certificate',
    collect: async () => [{ value: await app.sites.withoutCertificate() }],
  });
  metrics.gauge({
    name: 'tenantry_certificate_not_after_seconds',
    help: 'When the certificate of a tenant’s site expires, in seconds since 1970',
    labels: ['tenant'],
    collect: async () =>
      (await app.sites.certificates()).map(({ slug, notAfter }) => ({
        labels: { tenant: slug },
        value: notAfter.getTime() / 1000,
      })),
  });
}
