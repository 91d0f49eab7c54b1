import type { EventBus } from '../../../adapters/events/bus.ts';
import { refuseDuplicate } from '../../../adapters/store/conflicts.ts';
import type { Store } from '../../../adapters/store/store.ts';
import type { Clock } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { type Alert, isOnlyAbout, type Notify, type Severity, severities } from '../alert.ts';
import type { InboxStore } from '../inbox/store.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { composeDigest, isRecovery, subjectOf } from './digest.ts';
import { accessOf, type Listeners, type PlannedDelivery, planDeliveries, sameCauseMinutes } from './plan.ts';
import type { RuleStore } from './store.ts';

export interface NotifyDeps {
  store: Store;
  clock: Clock;
  events: Pick<EventBus, 'publish'>;
  inbox: InboxStore;
  rules: RuleStore;
  outbox: Pick<Outbox, 'enqueue'>;
  listeners(): Promise<Omit<Listeners, 'recentlySent'>>;
  /** Which tenants maintenance windows cover. */
  isInMaintenance(at: Date): Promise<(tenantId: string) => boolean>;
  /** The absolute address of a path in the dashboard. */
  linkTo(path: string): string;
}

const minute = 60_000;

class AlreadyStored extends Error {}

/** Stores alerts with everything that follows from them, and sends digests. */
export function createNotify(deps: NotifyDeps): { notify: Notify; sendDigests(signal: AbortSignal): Promise<void> } {
  const { store, clock, inbox, rules, outbox, linkTo } = deps;
  let sentAtOnce: readonly SentAtOnce[] = [];

  /** An incident that is over is reported like its opening. */
  async function severityOf({ key, severity }: Alert): Promise<Severity> {
    if (!isRecovery(key)) return severity;
    const earlier = await inbox.severitiesOf(`${subjectOf(key)}/`);
    return severities.findLast((one) => one === severity || earlier.includes(one)) ?? severity;
  }

  /**
   * What is stored for an alert.
   * @param before messages that were sent at once, also by the same call
   * @param isInMaintenance alerts about these tenants are only in the inbox. Incidents wait for the end of the window instead; a fleet
   *   upgrade that halts waits for the person who started it, often in a window.
   */
  async function planOf(
    alert: Alert,
    listeners: Omit<Listeners, 'recentlySent'>,
    now: Date,
    before: readonly SentAtOnce[],
    isInMaintenance: (tenantId: string) => boolean,
  ) {
    const recentlySent = (target: string, minutes: number, cause?: string) =>
      sentSince(before, now, minutes).filter(
        (one) => one.target === target && (cause === undefined || one.cause === cause),
      ).length;
    const plan = planDeliveries(alert, { ...listeners, recentlySent }, now, await severityOf(alert));
    const mayBeSilenced = accessOf(alert) !== 'own' && alert.event !== 'fleet' && !alert.key.startsWith('incident/');
    const isSilenced = mayBeSilenced && isOnlyAbout(alert, isInMaintenance);
    const planned = isSilenced ? [] : plan.deliveries;
    const atOnce = planned.filter(({ digestKey }) => digestKey === null);
    const { key: alertKey, userId: _, formerAddress: __, cause, ...row } = alert;
    const message = composeDigest([alert], linkTo);
    return {
      sent: atOnce.map(({ target }) => ({ target, cause, at: now })),
      alert: { ...row, alertKey, access: accessOf(alert), createdAt: now },
      entries: plan.inbox.map((userId) => ({ id: newId(), userId, alertKey, createdAt: now, readAt: null })),
      items: planned.flatMap((delivery) => itemOf(delivery, alertKey) ?? []),
      deliveries: atOnce.map(({ channelId, recipient, notBefore }) => ({
        key: alertKey,
        channelId,
        message,
        notBefore,
        ...(recipient === null ? {} : { recipient }),
      })),
    };
  }

  /** All or nothing of a call is stored, once for each key, so a caller that was interrupted may repeat the call. */
  const notify: Notify = async (...alerts) => {
    if (alerts.length === 0) return;
    const byKey = new Map(alerts.map((alert) => [alert.key, alert]));
    for (const key of await inbox.storedKeys([...byKey.keys()])) byKey.delete(key);
    if (byKey.size === 0) return;
    const listeners = await deps.listeners();
    const now = clock.now();
    const isInMaintenance = await deps.isInMaintenance(now);
    const plans: Awaited<ReturnType<typeof planOf>>[] = [];
    const sent: SentAtOnce[] = [];
    for (const alert of byKey.values()) {
      const plan = await planOf(alert, listeners, now, [...sentAtOnce, ...sent], isInMaintenance);
      sent.push(...plan.sent);
      plans.push(plan);
    }
    const entries = plans.flatMap((plan) => plan.entries);
    const write = store.transaction(async (transaction) => {
      if ((await inbox.storedKeys([...byKey.keys()], transaction)).size > 0) throw new AlreadyStored();
      await inbox.insert(
        plans.map((plan) => plan.alert),
        entries,
        transaction,
      );
      await rules.insertItems(
        plans.flatMap((plan) => plan.items),
        transaction,
      );
      await outbox.enqueue(
        plans.flatMap((plan) => plan.deliveries),
        transaction,
      );
    });
    try {
      await refuseDuplicate(write, () => new AlreadyStored());
    } catch (error) {
      if (!(error instanceof AlreadyStored)) throw error;
      // Another call stored some of them in the meantime.
      if (byKey.size > 1) for (const alert of byKey.values()) await notify(alert);
      return;
    }
    sentAtOnce = sentSince([...sentAtOnce, ...sent], now, sameCauseMinutes);
    if (entries.length > 0) deps.events.publish({ type: 'inbox', tenant_id: null });
  };

  return {
    notify,

    /** Hands each digest that is due to the outbox, as one message, and marks its parts as sent in the same transaction. */
    async sendDigests(signal) {
      const now = clock.now();
      for (const digestKey of await rules.dueDigests(now)) {
        if (signal.aborted) return;
        await store.transaction(async (transaction) => {
          const items = await rules.itemsOf(digestKey, now, transaction);
          const [first] = items;
          if (!first) return;
          const rows = await inbox.alerts(
            items.map(({ alertKey }) => alertKey),
            transaction,
          );
          const message = composeDigest(
            rows.map(({ alertKey, ...alert }) => ({ ...alert, key: alertKey })),
            linkTo,
          );
          const { id, channelId, recipient } = first;
          const to = recipient === null ? {} : { recipient };
          // Parts that arrive later have another first one, and so another key.
          const delivery = { key: `digest/${id}`, channelId, message, notBefore: now, ...to };
          await outbox.enqueue([delivery], transaction);
          await rules.saveSent(
            items.map((item) => item.id),
            delivery.key,
            transaction,
          );
        });
      }
    },
  };
}

const itemOf = ({ digestKey, channelId, recipient, notBefore }: PlannedDelivery, alertKey: string) =>
  digestKey === null
    ? undefined
    : { id: newId(), digestKey, channelId, recipient, alertKey, dueAt: notBefore, deliveryKey: null };

/** A message that did not wait. Forgotten with a restart: then some more are sent at once. */
interface SentAtOnce {
  target: string;
  cause: string | undefined;
  at: Date;
}

const sentSince = (messages: readonly SentAtOnce[], now: Date, minutes: number): readonly SentAtOnce[] =>
  messages.filter(({ at }) => at.getTime() > now.getTime() - minutes * minute);
