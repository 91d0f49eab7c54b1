import type { Route } from '../../lib/http/routing/route.ts';
import type { Channels } from './channels/channels.ts';
import type { Outbox } from './outbox/outbox.ts';

/** Channels, and the outbox from which they send. */
export interface Notifications {
  channels: Channels;
  outbox: Outbox;
  routes: Route[];
}
