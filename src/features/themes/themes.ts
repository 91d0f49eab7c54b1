import type { Route } from '../../lib/http/routing/route.ts';
import { themeRoutes } from './routes.ts';
import { createThemeService, type ThemeDeps, type ThemeService } from './service.ts';
import { createThemeStore } from './store.ts';

export interface Themes extends ThemeService {
  routes: Route[];
}

/** Tenants' themes. */
export function createThemes(deps: ThemeDeps): Themes {
  const service = createThemeService(createThemeStore(deps.store), deps);
  return { ...service, routes: themeRoutes(service) };
}
