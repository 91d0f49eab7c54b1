import type { ApiTexts } from '../../lib/api-text.ts';
import { translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Notifications',
  events: {
    incident: 'Incidents',
    deployment: 'Deployments',
    upgrade: 'Upgrades',
    fleet: 'Fleet upgrades',
    backup: 'Backups',
    drill: 'Restore drills',
    certificate: 'Certificates',
    disk: 'Disk space',
    node: 'Nodes',
    sign_in: 'Sign-ins',
    credentials: 'Credentials',
    update: 'Updates',
    import: 'Imports',
    report: 'Monthly report',
  },
  severities: { info: 'Information', warning: 'Warning', error: 'Error', critical: 'Critical' },
  inbox: {
    title: 'Notifications',
    hint: 'Kept for 90 days. What you get is in your notification preferences.',
    unread: (count: number) => `${count} unread`,
    isUnread: 'Unread',
    open: (count: number) => (count > 0 ? `Notifications, ${count} unread` : 'Notifications'),
    markAll: 'Mark all as read',
    markRead: 'Mark as read',
    all: 'Show all',
    emptyTitle: 'No notifications',
    emptyHint: 'Problems and other events that you chose appear here.',
    nothingUnread: 'Nothing unread',
    filter: 'Show',
    filters: { all: 'All', unread: 'Unread' },
    more: 'Show more',
    preferences: 'Preferences',
  },
  /** What the manager writes in notifications, for `apiText`. */
  alerts: {} as ApiTexts,
};

export const notificationsText = translated({ en, es });
