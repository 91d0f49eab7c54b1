import { useSyncExternalStore } from 'react';

/** A value that this browser keeps, for all its tabs and users. `read` parses it (undefined: none is kept). */
export function browserStore<T>(key: string, read: (kept: unknown) => T) {
  const watchers = new Set<() => void>();
  let value = read(keptAt(key));
  const notify = (): void => {
    for (const watcher of watchers) watcher();
  };
  addEventListener('storage', (event) => {
    if (event.key !== key) return;
    value = read(keptAt(key));
    notify();
  });
  const watch = (watcher: () => void): (() => void) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  };
  return {
    get: (): T => value,
    set(next: T): void {
      value = next;
      localStorage.setItem(key, JSON.stringify(next));
      notify();
    },
    use: (): T => useSyncExternalStore(watch, () => value),
  };
}

function keptAt(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}
