import type { components } from '../../api/schema.ts';
import { capital } from '../../lib/figures.ts';
import type { tenantText } from './messages.ts';
import { overviewText } from './overview/messages.ts';

type Schemas = components['schemas'];
export type Next = keyof typeof tenantText.next;

type Work = Pick<Schemas['DeploymentSummary'], 'id' | 'kind' | 'status' | 'put_back'>;
type Inspected = Pick<Schemas['Tenant'], 'deployed_at' | 'git_repo' | 'status' | 'health_status'>;

/** Operations that can leave a tenant down; a failed backup can't. */
const changing = ['deploy', 'upgrade', 'restore'];

/**
 * The suggested next action, and the operation it concerns.
 * @param works newest first
 * @param pending whether the services run without saved changes
 */
export function nextOf(tenant: Inspected, works: readonly Work[], pending: boolean): { next: Next; work?: Work } {
  const [newest] = works;
  if (newest?.status === 'queued' || newest?.status === 'running') return { next: 'underWay', work: newest };
  if (!tenant.deployed_at) {
    if (newest?.status === 'failed') return { next: 'failed', work: newest };
    return { next: tenant.git_repo ? 'deploy' : 'repository' };
  }
  if (tenant.status === 'error') {
    const last = works.find(({ kind }) => changing.includes(kind));
    return last?.status !== 'success' && last?.put_back === false ? { next: 'failed', work: last } : { next: 'error' };
  }
  if (tenant.status === 'stopped' || tenant.status === 'pending') return { next: 'stopped' };
  if (tenant.health_status === 'healthy') return { next: pending ? 'pending' : 'well' };
  return { next: tenant.health_status === 'unknown' ? 'unchecked' : 'unwell' };
}

const words = overviewText.unwell;
type Checks = Pick<components['schemas']['HealthReport'], 'checks' | 'certificate' | 'overall_status'>;

/** A headline for what a health report found wrong with a tenant, and the reasons that the checks gave. */
export function unwellOf({ checks, certificate, overall_status }: Checks): { title: string; reasons: string[] } {
  const { frontend, backend, database, services, proxy, synthetic } = checks;
  const units = [
    { name: words.names.frontend, active: services.frontend_service === 'active', page: frontend },
    { name: words.names.backend, active: services.backend_service === 'active', page: backend },
  ];
  const namesOf = (found: typeof units): string[] => found.map(({ name }) => name);
  const stopped = units.filter(({ active }) => !active);
  const down = units.filter(({ active, page }) => active && page.status === 'down');
  const silent = down.filter(({ page }) => page.status_code === null);
  const failing = down.filter(({ page }) => page.status_code !== null);
  const titles = [
    stopped.length > 0 && words.stopped(namesOf(stopped)),
    silent.length > 0 && words.silent(namesOf(silent)),
    failing.length > 0 && words.failing(namesOf(failing)),
    proxy?.status === 'down' && words.proxy,
    database.status !== 'healthy' && words.database,
    synthetic?.status === 'down' && words.synthetic,
    certificate?.error !== undefined && words.certificate,
  ];
  const errors = [services, frontend, backend, proxy, database, synthetic, certificate].map((check) => check?.error);
  return {
    title:
      titles.find((title) => title !== false) ?? (overall_status === 'unhealthy' ? words.unhealthy : words.degraded),
    reasons: [...new Set(errors.filter((error) => error !== undefined))].map(capital),
  };
}
