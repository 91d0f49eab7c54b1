import type { EventBus } from '../../../adapters/events/bus.ts';
import { refuseDuplicate } from '../../../adapters/store/conflicts.ts';
import type { Store } from '../../../adapters/store/store.ts';
import type { Clock } from '../../../lib/clock.ts';
import { newId } from '../../../lib/ids.ts';
import { foreignLine, foreignText } from '../../../lib/text/foreign-text.ts';
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
  listeners(): Promise<StoredListeners>;
  /** Which tenants maintenance windows cover. */
  isInMaintenance(at: Date): Promise<(tenantId: string) => boolean>;
  /** The absolute address of a path in the dashboard. */
  linkTo(path: string): string;
}

type StoredListeners = Omit<Listeners, 'recentlySent' | 'timesOfCause'>;

const minute = 60_000;

class AlreadyStored extends Error {}

/** An alert quotes programs and services: nothing in it steers a terminal, or changes how the rest is seen. */
const readable = (alert: Alert): Alert => ({
  ...alert,
  title: foreignLine(alert.title),
  text: foreignText(alert.text),
});

/** Stores alerts with everything that follows from them, and sends digests. */
export function createNotify(deps: NotifyDeps): { notify: Notify; sendDigests(signal: AbortSignal): Promise<void> } {
  const { store, clock, inbox, rules, outbox, linkTo } = deps;
  let recent: RecentMessages = { sentAtOnce: [], ofCauses: [] };

  /** An incident that is over is reported like its opening. */
  async function severityOf({ key, severity }: Alert): Promise<Severity> {
    if (!isRecovery(key)) return severity;
    const earlier = await inbox.severitiesOf(`${subjectOf(key)}/`);
    return severities.findLast((one) => one === severity || earlier.includes(one)) ?? severity;
  }

  /**
   * What is stored for an alert.
   * @param before messages before it, also of the same call
   * @param isInMaintenance alerts about these tenants are only in the inbox. Incidents wait for the end of the window instead; a fleet
   *   upgrade that halts waits for the person who started it, often in a window.
   */
  async function planOf(
    alert: Alert,
    listeners: StoredListeners,
    now: Date,
    before: RecentMessages,
    isInMaintenance: (tenantId: string) => boolean,
  ) {
    const plan = planDeliveries(
      alert,
      {
        ...listeners,
        recentlySent: (target) => before.sentAtOnce.filter((one) => one.target === target).length,
        timesOfCause: (target, cause) =>
          before.ofCauses.filter((one) => one.target === target && one.cause === cause).map(({ at }) => at),
      },
      now,
      await severityOf(alert),
    );
    const mayBeSilenced = accessOf(alert) !== 'own' && alert.event !== 'fleet' && !alert.key.startsWith('incident/');
    const isSilenced = mayBeSilenced && isOnlyAbout(alert, isInMaintenance);
    const planned = isSilenced ? [] : plan.deliveries;
    const atOnce = planned.filter(({ digestKey }) => digestKey === null);
    const { key: alertKey, userId: _, formerAddress: __, cause, ...row } = alert;
    const message = composeDigest([alert], linkTo);
    return {
      messages: {
        sentAtOnce: atOnce.map(({ target }) => ({ target, at: now })),
        ofCauses: cause === undefined ? [] : planned.map(({ target, notBefore }) => ({ target, cause, at: notBefore })),
      },
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
    const byKey = new Map(alerts.map((alert) => [alert.key, readable(alert)]));
    for (const key of await inbox.storedKeys([...byKey.keys()])) byKey.delete(key);
    if (byKey.size === 0) return;
    const listeners = await deps.listeners();
    const now = clock.now();
    const isInMaintenance = await deps.isInMaintenance(now);
    const plans: Awaited<ReturnType<typeof planOf>>[] = [];
    let before = added(recent, [], now);
    for (const alert of byKey.values()) {
      const plan = await planOf(alert, listeners, now, before, isInMaintenance);
      before = added(before, [plan.messages], now);
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
    recent = added(
      recent,
      plans.map(({ messages }) => messages),
      now,
    );
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

interface SentMessage {
  target: string;
  at: Date;
}

/** What targets got lately. Forgotten with a restart: then some more messages are sent at once. */
interface RecentMessages {
  /** In the last minute. */
  sentAtOnce: readonly SentMessage[];
  /** About failures with a cause: in the last hour, and what still waits. */
  ofCauses: readonly (SentMessage & { cause: string })[];
}

/** What came before with what came since, without what is over. */
function added(before: RecentMessages, later: readonly RecentMessages[], now: Date): RecentMessages {
  const all = [before, ...later];
  const isRecent =
    (minutes: number) =>
    ({ at }: SentMessage) =>
      at.getTime() > now.getTime() - minutes * minute;
  const ofCauses = all.flatMap((one) => one.ofCauses).filter(isRecent(sameCauseMinutes));
  return {
    sentAtOnce: all.flatMap(({ sentAtOnce }) => sentAtOnce).filter(isRecent(1)),
    // Those that are collected are one message.
    ofCauses: [...new Map(ofCauses.map((one) => [`${one.target} ${one.at.getTime()} ${one.cause}`, one])).values()],
  };
}
