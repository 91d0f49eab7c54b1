import type { Store } from '../../adapters/store/store.ts';
import { type Alerting, type AlertingDeps, createAlerting } from './alerting.ts';
import { type ChannelService, type ChannelsDeps, createChannels } from './channels/channels.ts';
import { channelRoutes } from './channels/routes.ts';
import { createChannelStore } from './channels/store.ts';
import { createOutbox, type OutboxDeps, type OutboxService } from './outbox/outbox.ts';
import { deliveryRoutes } from './outbox/routes.ts';
import { createDeliveryStore } from './outbox/store.ts';

export type { Receipt } from './receipts.ts';

export interface NotificationsDeps
  extends ChannelsDeps,
    Pick<OutboxDeps, 'logger'>,
    Omit<AlertingDeps, 'channels' | 'outbox' | 'deliveries'> {
  store: Store;
  /** The absolute address of a path in the dashboard. */
  linkTo(path: string): string;
}

/** Alerts, and the channels, inboxes and users that receive them. */
export interface Notifications extends Alerting {
  channels: ChannelService;
  outbox: OutboxService;
  /** Whether an enabled rule sends to an enabled channel. */
  isChannelUsed(): Promise<boolean>;
}

export function createNotifications(deps: NotificationsDeps): Notifications {
  const { store, clock, logger, writeAuditLog, linkTo } = deps;
  const channels = createChannels(createChannelStore(store), deps);
  const deliveries = createDeliveryStore(store);
  const outbox = createOutbox(deliveries, { channels, clock, logger });
  const alerting = createAlerting({
    store,
    clock,
    events: deps.events,
    writeAuditLog,
    tenants: deps.tenants,
    channels,
    outbox,
    deliveries,
    recipients: deps.recipients,
    digestMinutes: deps.digestMinutes,
    isInMaintenance: deps.isInMaintenance,
    linkTo,
  });
  return {
    ...alerting,
    channels,
    outbox,
    async isChannelUsed() {
      const [rules, all] = await Promise.all([alerting.rules.list(), channels.list()]);
      const enabled = new Set(all.filter((channel) => channel.enabled).map(({ id }) => id));
      return rules.some(({ enabled: isOn, rule }) => isOn && rule.channel_ids.some((id) => enabled.has(id)));
    },
    routes: [
      ...channelRoutes(channels, { clock, outbox, linkTo }),
      ...deliveryRoutes(outbox, { writeAuditLog }),
      ...alerting.routes,
    ],
  };
}
