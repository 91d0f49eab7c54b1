import { useSyncExternalStore } from 'react';

export type Theme = 'system' | 'light' | 'dark';

const key = 'tenantry.theme';
const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const watchers = new Set<() => void>();

const chosen = (): Theme => {
  const theme = localStorage.getItem(key);
  return theme === 'light' || theme === 'dark' ? theme : 'system';
};

/** Applies the chosen or the system's colour scheme to the page. */
export function applyTheme(): void {
  const theme = chosen();
  const dark = theme === 'dark' || (theme === 'system' && systemIsDark.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
}
systemIsDark.addEventListener('change', applyTheme);

export function useTheme(): [Theme, (theme: Theme) => void] {
  const theme = useSyncExternalStore((watcher) => {
    watchers.add(watcher);
    return () => watchers.delete(watcher);
  }, chosen);
  const choose = (next: Theme): void => {
    localStorage.setItem(key, next);
    applyTheme();
    for (const watcher of watchers) watcher();
  };
  return [theme, choose];
}
