import { createSenders } from '../../adapters/notifications/senders.ts';
import {
  createNotifications,
  type Notifications,
  type NotificationsDeps,
} from '../../features/notifications/notifications.ts';
import type { Config } from '../config/config.ts';

/** Notifications: to which addresses they may go, and where their links lead. */
export function composeNotifications({
  store,
  clock,
  logger,
  writeAuditLog,
  secretBox,
  config,
}: Pick<NotificationsDeps, 'store' | 'clock' | 'logger' | 'writeAuditLog' | 'secretBox'> & {
  config: Config;
}): Notifications {
  const [origin = `http://localhost:${config.DASHBOARD_PORT}`] = config.DASHBOARD_ORIGIN;
  return createNotifications({
    store,
    clock,
    logger,
    writeAuditLog,
    secretBox,
    senders: createSenders({ allowPrivate: config.ALLOW_PRIVATE_NOTIFICATIONS }),
    linkTo: (path) => origin.replace(/\/$/, '') + path,
  });
}
