import { useSyncExternalStore } from 'react';
import { onForget } from '../../accounts/session/forget.ts';

interface KeptStore<T> {
  get(): T;
  set(value: T): void;
  /** The value, and a new drawing whenever it changes. */
  use(): T;
}

/**
 * A value that all parts of the page share, and that a reload of the page does not lose: it is kept by the browser for this
 * tab, and for who is signed in. `read` makes it of what was kept (undefined: nothing was), `write` makes something of it that JSON can hold.
 */
export function keptStore<T>(key: string, read: (kept: unknown) => T, write: (value: T) => unknown): KeptStore<T> {
  const watchers = new Set<() => void>();
  let value = read(keptAt(key));
  // Written when the page goes, not at every change: a thousand tenants make a long text.
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
