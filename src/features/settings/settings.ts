import type { Clock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { SecretBox } from '../../kernel/secret-box.ts';
import type { WriteJournal } from '../../platform/events/journal-entry.ts';
import type { Route } from '../../platform/http/route.ts';
import type { Store } from '../../platform/store/store.ts';
import { settingRoutes } from './routes.ts';
import { createSettingService, type SettingService } from './service.ts';
import { createSettingStore } from './store.ts';

export interface SettingsDeps {
  store: Store;
  clock: Clock;
  logger: Logger;
  journal: WriteJournal;
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
