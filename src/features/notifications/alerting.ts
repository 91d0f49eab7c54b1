import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { Store } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Tenants } from '../tenants/tenants.ts';
import type { Notify } from './alert.ts';
import type { Channels } from './channels/channels.ts';
import { inboxRoutes } from './inbox/inbox.ts';
import { createInboxStore } from './inbox/store.ts';
import type { Outbox } from './outbox/outbox.ts';
import type { DeliveryStore } from './outbox/store.ts';
import { createReceipts, type Receipt } from './receipts.ts';
import { createNotify } from './rules/notify.ts';
import { ruleRoutes } from './rules/routes.ts';
import { createRules, type Recipient, type Rules } from './rules/rules.ts';
import { createRuleStore } from './rules/store.ts';

export interface AlertingDeps {
  store: Store;
  clock: Clock;
  events: Pick<EventBus, 'publish'>;
  writeAuditLog: WriteAuditLog;
  tenants: Pick<Tenants, 'namesOf'>;
  channels: Pick<Channels, 'list'>;
  outbox: Pick<Outbox, 'enqueue'>;
  deliveries: Pick<DeliveryStore, 'ofKeys'>;
  /** The users who can sign in. */
  recipients(): Promise<Recipient[]>;
  /** Minutes for which channels collect alerts below an error. */
  digestMinutes(): Promise<number>;
  /** Which tenants maintenance windows cover. */
  isInMaintenance(at: Date): Promise<(tenantId: string) => boolean>;
  /** The absolute address of a path in the dashboard. */
  linkTo(path: string): string;
}

export interface Alerting {
  notify: Notify;
  /** Hands the digests that are due to the outbox. */
  sendDigests(signal: AbortSignal): Promise<void>;
  /** Removes alerts from before this time from all inboxes. */
  removeOlderThan(before: Date): Promise<void>;
  /** The last alert whose key begins so; undefined: none. */
  lastAlert(prefix: string): Promise<{ key: string; at: Date } | undefined>;
  /** The alerts whose keys begin so, the newest first. */
  alertsBy(prefix: string, limit: number): Promise<{ key: string; title: string }[]>;
  /** What is collected of alerts whose keys begin so is not sent; inboxes keep them. */
  withdraw(prefix: string): Promise<void>;
  /** Who received the alerts whose keys begin so. */
  receipts(prefix: string): Promise<Receipt[]>;
  rules: Rules;
  routes: Route[];
}

/** From an alert to the inboxes and the channels that the rules and the users choose. */
export function createAlerting(deps: AlertingDeps): Alerting {
  const { store, clock, events, writeAuditLog, tenants, channels, outbox, recipients, linkTo } = deps;
  const inbox = createInboxStore(store);
  const rows = createRuleStore(store);
  const rules = createRules({ store, rows, clock, writeAuditLog, channels, tenants, recipients });
  const { notify, sendDigests } = createNotify({
    store,
    clock,
    events,
    inbox,
    rules: rows,
    outbox,
    isInMaintenance: deps.isInMaintenance,
    linkTo,
    async listeners() {
      const [planned, all, digestMinutes] = await Promise.all([
        rules.plannedFor(),
        channels.list(),
        deps.digestMinutes(),
      ]);
      return { ...planned, channels: all.filter(({ enabled }) => enabled), digestMinutes };
    },
  });
  return {
    rules,
    notify,
    sendDigests,
    async lastAlert(prefix) {
      const [last] = await inbox.announced(prefix, 1);
      return last && { key: last.alertKey, at: last.at };
    },
    alertsBy: async (prefix, limit) =>
      (await inbox.announced(prefix, limit)).map(({ alertKey: key, title }) => ({ key, title })),
    withdraw: rows.removeWaiting,
    receipts: createReceipts({ inbox, rules: rows, deliveries: deps.deliveries, channels, recipients }),
    removeOlderThan: inbox.removeOlderThan,
    routes: [...ruleRoutes(rules), ...inboxRoutes({ rows: inbox, clock, events })],
  };
}
