import { api, dataOf, type Tenant } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';
import { tell, tellError } from '../parts/toasts.tsx';
import { text } from '../text/en.ts';

/** Asks again for all that is known of a tenant. */
export function refreshTenant(id: string): void {
  for (const kind of ['tenant', 'health', 'version', 'deployments']) {
    void queryClient.invalidateQueries({ queryKey: [kind, id] });
  }
  void queryClient.invalidateQueries({ queryKey: ['tenants'] });
}

export const controls = ['start', 'stop', 'restart'] as const;
export type Control = (typeof controls)[number];

/** Whether an action means anything for a tenant as it is. */
export const mayControl = (action: Control, { status, deployed_at }: Pick<Tenant, 'status' | 'deployed_at'>): boolean =>
  deployed_at !== null && (status === 'error' || (action === 'start') !== (status === 'running'));

/** Asks for it and waits for its end, which may take minutes. */
export const askControl = (action: Control, id: string) => {
  const options = { params: { path: { id } } };
  if (action === 'start') return api.POST('/api/tenants/{id}/start', options);
  return action === 'stop'
    ? api.POST('/api/tenants/{id}/stop', options)
    : api.POST('/api/tenants/{id}/restart', options);
};

/** Starts, stops or restarts a tenant and tells how it ended. */
export async function control(action: Control, { id, name }: Pick<Tenant, 'id' | 'name'>): Promise<void> {
  try {
    await dataOf(askControl(action, id));
    tell(text.actions.done[action](name));
  } catch (error) {
    tellError(error);
  }
  refreshTenant(id);
}

/** Begins a deployment; answers its id, or undefined where it was refused (and told). */
export async function deploy(id: string): Promise<string | undefined> {
  try {
    const begun = await dataOf(api.POST('/api/tenants/{id}/deploy', { params: { path: { id } }, body: {} }));
    refreshTenant(id);
    return 'deployment_id' in begun ? String(begun.deployment_id) : undefined;
  } catch (error) {
    tellError(error);
    return undefined;
  }
}
