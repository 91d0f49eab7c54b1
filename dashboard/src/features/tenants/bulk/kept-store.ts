import { useSyncExternalStore } from 'react';
import { onForget } from '../../accounts/session/forget.ts';

interface KeptStore<T> {
  get(): T;
  set(value: T): void;
  /** The value; rerenders when it changes. */
  use(): T;
}

/**
 * A value shared by all parts of the page that survives a reload: the browser stores it for this tab and the
 * signed-in user. `read` parses the stored value (undefined: none is stored), `write` returns a value for JSON.
 */
export function keptStore<T>(key: string, read: (kept: unknown) => T, write: (value: T) => unknown): KeptStore<T> {
  const watchers = new Set<() => void>();
  let value = read(keptAt(key));
  // Written when the page is left, not at every change: the text for a thousand tenants is long.
  addEventListener('pagehide', () => sessionStorage.setItem(key, JSON.stringify(write(value)) ?? 'null'));
  const watch = (watcher: () => void): (() => void) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  };
  const get = (): T => value;
  const set = (next: T): void => {
    value = next;
    for (const watcher of watchers) watcher();
  };
  onForget(() => set(read(undefined)));
  return {
    get,
    set,
    use: () => useSyncExternalStore(watch, get),
  };
}

function keptAt(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
