import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { settingRoutes } from './routes.ts';
import { createSettingService, type SettingService } from './service.ts';
import { createSettingStore } from './store.ts';

export interface SettingsDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  writeAuditLog: WriteAuditLog;
  secretBox: SecretBox;
}

export interface Settings extends SettingService {
  routes: Route[];
}

/** The manager's settings. */
export function createSettings({ store, ...deps }: SettingsDeps): Settings {
  const service = createSettingService({ rows: createSettingStore(store), ...deps });
  return { ...service, routes: settingRoutes(service) };
}
