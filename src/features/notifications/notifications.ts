import type { Store } from '../../adapters/store/store.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import { type ChannelService, type ChannelsDeps, createChannels } from './channels/channels.ts';
import { channelRoutes } from './channels/routes.ts';
import { createChannelStore } from './channels/store.ts';
import { createOutbox, type OutboxDeps, type OutboxService } from './outbox/outbox.ts';
import { deliveryRoutes } from './outbox/routes.ts';
import { createDeliveryStore } from './outbox/store.ts';

export interface NotificationsDeps extends ChannelsDeps, Pick<OutboxDeps, 'logger'> {
  store: Store;
  /** The absolute address of a path in the dashboard. */
  linkTo(path: string): string;
}

/** Channels, and the outbox from which they send. */
export interface Notifications {
  channels: ChannelService;
  outbox: OutboxService;
  routes: Route[];
}

export function createNotifications(deps: NotificationsDeps): Notifications {
  const { store, clock, logger, writeAuditLog, linkTo } = deps;
  const channels = createChannels(createChannelStore(store), deps);
  const outbox = createOutbox(createDeliveryStore(store), { channels, clock, logger });
  return {
    channels,
    outbox,
    routes: [...channelRoutes(channels, { clock, outbox, linkTo }), ...deliveryRoutes(outbox, { writeAuditLog })],
  };
}
