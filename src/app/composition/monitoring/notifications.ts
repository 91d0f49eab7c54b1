import { createSenders } from '../../../adapters/notifications/senders.ts';
import type { Accounts } from '../../../features/accounts/accounts.ts';
import { createMaintenanceCheck } from '../../../features/incidents/incidents.ts';
import {
  createNotifications,
  type Notifications,
  type NotificationsDeps,
} from '../../../features/notifications/notifications.ts';
import type { Settings } from '../../../features/settings/settings.ts';
import type { Config } from '../../config/config.ts';

/** Notifications: to which addresses they may go, and where their links lead. */
export function composeNotifications({
  store,
  clock,
  logger,
  events,
  writeAuditLog,
  secretBox,
  tenants,
  accounts,
  settings,
  config,
}: Pick<NotificationsDeps, 'store' | 'clock' | 'logger' | 'events' | 'writeAuditLog' | 'secretBox' | 'tenants'> & {
  accounts: Pick<Accounts, 'recipients'>;
  settings: Pick<Settings, 'read'>;
  config: Config;
}): Notifications {
  const [origin = `http://localhost:${config.DASHBOARD_PORT}`] = config.DASHBOARD_ORIGIN;
  return createNotifications({
    store,
    clock,
    logger,
    events,
    writeAuditLog,
    secretBox,
    tenants,
    recipients: accounts.recipients,
    isInMaintenance: createMaintenanceCheck(store),
    digestMinutes: () => settings.read('notification_digest_minutes'),
    senders: createSenders({ allowPrivate: config.ALLOW_PRIVATE_NOTIFICATIONS }),
    linkTo: (path) => origin.replace(/\/$/, '') + path,
  });
}
