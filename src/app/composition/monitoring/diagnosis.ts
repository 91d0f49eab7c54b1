import { selfRedirectOf } from '../../../adapters/proxies/external-probe.ts';
import type { Store } from '../../../adapters/store/store.ts';
import { TenantRefusal } from '../../../adapters/tenant-api/tenant-api.ts';
import type { AuditLog } from '../../../features/audit-log/audit-log.ts';
import { versionOf } from '../../../features/deployments/operation.ts';
import type { DeploymentStore } from '../../../features/deployments/store.ts';
import { createDiagnosis, type DiagnosisService, type FactSources } from '../../../features/diagnosis/diagnosis.ts';
import { changesAmong, changingOperations, failedStartAmong } from '../../../features/diagnosis/facts/changes.ts';
import { createIncidentStore } from '../../../features/incidents/store.ts';
import type { Remote } from '../../../features/remote/remote.ts';
import type { Settings } from '../../../features/settings/settings.ts';
import type { composeSites } from '../sites.ts';

/** Operations that are looked at for the last change and the version before. */
const lastOperations = 20;

/** For a visit where a tenant's names lead, in ms. */
const visitTimeoutMs = 3_000;

/** Entries of the audit log among which the last change is looked for. */
const lastEntries = 100;

/** Why tenants are not well, from what the other features know. */
export function composeDiagnosis({
  records: { store, auditLog, deploymentStore, remote, settings },
  live: { proxy, clock, events, runtime, engine, tenants, health, sites, dataDirectory },
}: {
  records: { store: Store; auditLog: AuditLog; deploymentStore: DeploymentStore; remote: Remote; settings: Settings };
  live: Pick<FactSources, 'clock' | 'runtime' | 'engine' | 'tenants' | 'health' | 'sites' | 'dataDirectory'> &
    Pick<Parameters<typeof createDiagnosis>[0], 'events'> & {
      proxy: Awaited<ReturnType<typeof composeSites>>['proxy'];
    };
}): DiagnosisService {
  return createDiagnosis({
    clock,
    events,
    runtime,
    engine,
    tenants,
    health,
    sites,
    dataDirectory,
    databaseAheadMs: store.clockAheadMs,
    knownCauses: createIncidentStore(store).knownCauses,
    async proxy() {
      if (proxy.kind === 'none') return undefined;
      const answer = await proxy.availability();
      return answer.available ? { available: true } : answer;
    },
    async selfRedirect(domains) {
      if (proxy.kind === 'none') return undefined;
      const asked = domains.map((domain) => selfRedirectOf(domain, { timeoutMs: visitTimeoutMs }));
      const answers = await Promise.allSettled(asked);
      const found = answers.find((answer) => answer.status === 'fulfilled' && answer.value !== undefined);
      const failed = answers.find((answer) => answer.status === 'rejected');
      if (!found && failed) throw failed.reason;
      return found?.status === 'fulfilled' ? found.value : undefined;
    },
    hasPublicAddresses: async () => (await settings.read('public_addresses')).trim() !== '',
    async asksWithKey(tenantId) {
      try {
        await remote.stats(tenantId);
        return 'accepted';
      } catch (error) {
        if (!(error instanceof TenantRefusal)) throw error;
        return error.statusCode === 401 || error.statusCode === 403 ? 'refused' : 'not_asked';
      }
    },
    async lastOperations(tenantId) {
      const { items } = await deploymentStore.list(tenantId, { limit: lastOperations, offset: 0 });
      return items.map(({ id, subject, kind, status, error, createdAt, finishedAt, state }) => {
        const version = versionOf(state);
        return { id, subject, kind, status, error, createdAt, finishedAt, version };
      });
    },
    async changesSince(tenantId, since) {
      const recent = { limit: lastEntries, offset: 0 };
      const [entries, operations] = await Promise.all([
        auditLog.list({ tenantId, since, category: ['audit', 'deployment'] }, recent),
        deploymentStore.list(tenantId, recent, changingOperations),
      ]);
      return changesAmong(entries.items, new Set(operations.items.map(({ id }) => id)));
    },
    async failedStart(tenantId) {
      const { items } = await auditLog.list({ tenantId, category: 'audit' }, { limit: lastEntries, offset: 0 });
      return failedStartAmong(items);
    },
    lastStop: async (tenantId) => (await auditLog.lastStops([tenantId])).get(tenantId),
  });
}
