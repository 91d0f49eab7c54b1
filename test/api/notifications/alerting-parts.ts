import { createEventBus } from '../../../src/adapters/events/bus.ts';
import { createSenders } from '../../../src/adapters/notifications/senders.ts';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import { createAccountStore } from '../../../src/features/accounts/store.ts';
import { createMaintenanceCheck } from '../../../src/features/incidents/incidents.ts';
import type { Alert } from '../../../src/features/notifications/alert.ts';
import { createNotifications } from '../../../src/features/notifications/notifications.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createSecretBox } from '../../../src/lib/secret-box.ts';

export const admin = { userId: null, username: 'tenantry' };

/** Notifications on a store, with a clock that can be set, one administrator, and no schedule. */
export async function openAlerting(databaseUrl: string) {
  const logger = createLogger({ level: 'silent' });
  const store = await openManagerStore(databaseUrl, logger);
  const time = { now: new Date('2026-11-25T20:03:00Z') };
  const accounts = createAccountStore(store);
  const userId = 'administrator';
  await accounts.exclusively(async (transaction) => {
    if (await accounts.hasUsers(transaction)) return;
    const user = { id: userId, username: 'admin', email: 'admin@localhost', passwordHash: '', role: 'admin' as const };
    const state = { disabled: false, mustChangePassword: false, tokenVersion: 1, passwordChangedAt: null };
    await accounts.insertUser({ ...user, ...state, createdAt: time.now }, transaction);
  });
  const notifications = createNotifications({
    store,
    clock: { now: () => time.now },
    logger,
    events: createEventBus(logger),
    writeAuditLog: async () => undefined,
    secretBox: createSecretBox('a secret key of the tests, long enough'),
    tenants: { namesOf: async () => new Map() },
    recipients: () => accounts.enabledUsers(),
    isInMaintenance: createMaintenanceCheck(store),
    digestMinutes: async () => 60,
    senders: createSenders({ allowPrivate: true }),
    linkTo: (path) => `https://manager.example.org${path}`,
  });
  return { store, time, notifications };
}

export const alertOf = (key: string, changes: Partial<Alert> = {}): Alert => ({
  event: 'deployment',
  severity: 'error',
  key,
  title: `Title of ${key}`,
  text: `Text of ${key}`,
  link: '/tenants',
  tenants: [{ id: 't1', slug: 'acme', name: 'Acme', tags: [] }],
  at: new Date('2026-11-25T20:03:00Z'),
  ...changes,
});
