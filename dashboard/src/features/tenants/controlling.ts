import { useSyncExternalStore } from 'react';
import type { Control } from './tenant-actions.ts';

const underWay = new Map<string, Control>();
const listeners = new Set<() => void>();

/** Notes that a tenant is being started, stopped or restarted, until `work` has ended. */
export async function whileControlling<T>(id: string, action: Control, work: Promise<T>): Promise<T> {
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

/** What this page is doing with a tenant's services; undefined: nothing. */
export const useControlling = (id: string): Control | undefined =>
  useSyncExternalStore(subscribe, () => underWay.get(id));
