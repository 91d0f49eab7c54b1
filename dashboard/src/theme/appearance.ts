import { browserStore } from '../lib/browser-store.ts';

export type Theme = 'system' | 'light' | 'dark';
export type Density = 'comfortable' | 'compact';

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');
const theme = browserStore<Theme>('tenantry.color-scheme', (kept) =>
  kept === 'light' || kept === 'dark' ? kept : 'system',
);
const density = browserStore<Density>('tenantry.density', (kept) => (kept === 'compact' ? kept : 'comfortable'));

/** Applies the chosen or the system's colour scheme and the chosen height of rows to the page. */
export function applyAppearance(): void {
  const dark = theme.get() === 'dark' || (theme.get() === 'system' && systemIsDark.matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  document.documentElement.dataset.density = density.get();
}
systemIsDark.addEventListener('change', applyAppearance);

/** The colour scheme and the height of rows that the user chose in this browser. */
export const useAppearance = () => ({
  theme: theme.use(),
  density: density.use(),
  setTheme(next: Theme): void {
    theme.set(next);
    applyAppearance();
  },
  setDensity(next: Density): void {
    density.set(next);
    applyAppearance();
  },
});
