import type { Channels } from './channels/channels.ts';
import type { InboxStore } from './inbox/store.ts';
import type { DeliveryState } from './outbox/delivery.ts';
import type { DeliveryStore } from './outbox/store.ts';
import type { Recipient } from './rules/rules.ts';
import type { RuleStore } from './rules/store.ts';

/** Who received an alert. */
export interface Receipt {
  key: string;
  at: Date;
  /** Names of the users whose inbox shows it. */
  users: string[];
  deliveries: {
    /** The channel's name. */
    channel: string;
    /** E-mail to one user; null: the channel's own recipients. A user whose address changed since has no name. */
    to: { username: string | null } | null;
    /** `collected`: it waits for a digest. */
    state: DeliveryState | 'collected';
    /** The last attempt to send it, or when it is due. */
    at: Date;
  }[];
}

export interface ReceiptDeps {
  inbox: Pick<InboxStore, 'announced' | 'receivers'>;
  rules: Pick<RuleStore, 'itemsOfAlerts'>;
  deliveries: Pick<DeliveryStore, 'ofKeys'>;
  channels: Pick<Channels, 'list'>;
  recipients(): Promise<Recipient[]>;
}

/** The newest alerts whose receivers are looked for: an incident that lasts for weeks has many reminders. */
const maxAlerts = 100;

/** Finds who received the alerts whose keys begin alike, the oldest first. Users who were deleted or disabled are left out. */
export function createReceipts({ inbox, rules, deliveries, channels, recipients }: ReceiptDeps) {
  return async (prefix: string): Promise<Receipt[]> => {
    const alerts = (await inbox.announced(prefix, maxAlerts)).reverse();
    if (alerts.length === 0) return [];
    const keys = alerts.map(({ alertKey }) => alertKey);
    const [received, items, everyone, all] = await Promise.all([
      inbox.receivers(keys),
      rules.itemsOfAlerts(keys),
      recipients(),
      channels.list(),
    ]);
    const sent = await deliveries.ofKeys([...keys, ...new Set(items.flatMap(({ deliveryKey }) => deliveryKey ?? []))]);
    const channelNames = new Map(all.map(({ id, name }) => [id, name]));
    const usernames = new Map(everyone.map(({ id, username }) => [id, username]));
    const byAddress = new Map(everyone.map(({ email, username }) => [email, username]));

    type Way = Pick<(typeof sent)[number], 'channelId' | 'recipient'>;
    const shown = ({ channelId, recipient }: Way, state: Receipt['deliveries'][number]['state'], at: Date) => ({
      channel: channelNames.get(channelId) ?? '',
      to: recipient === null ? null : { username: byAddress.get(recipient) ?? null },
      state,
      at,
    });
    return alerts.map(({ alertKey: key, at }) => {
      const parts = items.filter((item) => item.alertKey === key);
      const inDigests = (delivery: (typeof sent)[number]): boolean =>
        parts.some(
          ({ deliveryKey, channelId, recipient }) =>
            deliveryKey === delivery.key && channelId === delivery.channelId && recipient === delivery.recipient,
        );
      return {
        key,
        at,
        users: received
          .flatMap(({ alertKey, userId }) => (alertKey === key ? (usernames.get(userId) ?? []) : []))
          .sort(),
        deliveries: [
          ...sent
            .filter((delivery) => delivery.key === key || inDigests(delivery))
            .map((delivery) => shown(delivery, delivery.state, delivery.attemptedAt ?? delivery.notBefore)),
          ...parts
            .filter(({ deliveryKey }) => deliveryKey === null)
            .map((part) => shown(part, 'collected', part.dueAt)),
        ],
      };
    });
  };
}
