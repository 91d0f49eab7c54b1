import type { Route } from '../../lib/http/routing/route.ts';
import { settingRoutes } from './routes.ts';
import { createSettingService, type SettingService, type SettingsDeps } from './service.ts';
import { createSettingStore } from './store.ts';

export interface Settings extends SettingService {
  routes: Route[];
}

/** The manager's settings. */
export function createSettings(deps: SettingsDeps): Settings {
  const service = createSettingService(createSettingStore(deps.store), deps);
  return { ...service, routes: settingRoutes(service) };
}
