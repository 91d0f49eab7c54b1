import { useSyncExternalStore } from 'react';
import { api, dataOf, type Tenant } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { confirm } from '../../components/feedback/dialogs.tsx';
import { notify, notifyError } from '../../components/feedback/toasts.tsx';
import { tenantsText } from './messages.ts';

/** Refetches everything about a tenant. */
export function refreshTenant(id: string): void {
  for (const kind of ['tenant', 'health', 'version', 'deployments']) {
    void queryClient.invalidateQueries({ queryKey: [kind, id] });
  }
  void queryClient.invalidateQueries({ queryKey: ['tenants'] });
}

export const controls = ['start', 'stop', 'restart'] as const;
export type Control = (typeof controls)[number];

/** Whether an action applies to a tenant in its state. */
export const mayControl = (action: Control, { status, deployed_at }: Pick<Tenant, 'status' | 'deployed_at'>): boolean =>
  deployed_at !== null && (status === 'error' || (action === 'start') !== (status === 'running'));

/** Starts it and waits for its end, which may take minutes. */
export const confirmControl = (action: Control, id: string) => {
  const options = { params: { path: { id } } };
  if (action === 'start') return api.POST('/api/tenants/{id}/start', options);
  return action === 'stop'
    ? api.POST('/api/tenants/{id}/stop', options)
    : api.POST('/api/tenants/{id}/restart', options);
};

/** Starts, stops or restarts a tenant, without confirmation, and reports how it ended. */
export async function control(action: Control, { id, name }: Pick<Tenant, 'id' | 'name'>): Promise<void> {
  try {
    await whileControlling(id, action, dataOf(confirmControl(action, id)));
    notify(tenantsText.actions.done[action](name));
  } catch (error) {
    notifyError(error);
  }
  refreshTenant(id);
}

/** Starts a tenant immediately; asks for confirmation before it stops or restarts one. */
export function controlConfirmation(action: Control, tenant: Pick<Tenant, 'id' | 'name'>, act = control): void {
  if (action === 'start') return void act(action, tenant);
  const { title, hint, submit } = tenantsText.confirm[action];
  confirm({ title: title(tenant.name), hint, submit, bad: action === 'stop' }, () => void act(action, tenant));
}

const underWay = new Map<string, Control>();
const listeners = new Set<() => void>();

/** Notes that a tenant is being started, stopped or restarted, until `work` has ended. */
async function whileControlling<T>(id: string, action: Control, work: Promise<T>): Promise<T> {
  const change = (next: Control | undefined): void => {
    if (next) underWay.set(id, next);
    else underWay.delete(id);
    for (const listener of listeners) listener();
  };
  change(action);
  return work.finally(() => change(undefined));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The service action that this page runs; undefined: none. */
export const useControlling = (id: string): Control | undefined =>
  useSyncExternalStore(subscribe, () => underWay.get(id));
