import type { Clock } from '../../kernel/clock.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Store } from '../../platform/store/store.ts';
import { themeRoutes } from './routes.ts';
import { createThemeService, type ThemeService } from './service.ts';
import { createThemeStore } from './store.ts';

export interface Themes extends ThemeService {
  routes: Route[];
}

/** Tenants' themes. */
export function createThemes({ store, clock }: { store: Store; clock: Clock }): Themes {
  const service = createThemeService(createThemeStore(store), clock);
  return { ...service, routes: themeRoutes(service) };
}
