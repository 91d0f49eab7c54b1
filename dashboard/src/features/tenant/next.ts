import type { components } from '../../api/schema.ts';
import type { text } from '../../lib/messages.ts';

type Schemas = components['schemas'];
export type Next = keyof typeof text.tenant.next;

type Work = Pick<Schemas['DeploymentSummary'], 'id' | 'kind' | 'status' | 'put_back'>;
type Looked = Pick<Schemas['Tenant'], 'deployed_at' | 'git_repo' | 'status' | 'health_status'>;

/** Work that can leave a tenant down; a backup that failed is not why it is. */
const changing = ['deploy', 'upgrade', 'restore'];

/**
 * The one thing that is to do now, and the work that it is about.
 * @param works newest first
 * @param pending whether what runs lacks changes of its configuration
 */
export function nextOf(tenant: Looked, works: readonly Work[], pending: boolean): { next: Next; work?: Work } {
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
