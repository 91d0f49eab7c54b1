import { createHash } from 'node:crypto';
import type { Transaction } from '../../../adapters/store/store.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import type { ChannelService } from '../channels/channels.ts';
import { deliveryLifeMs } from './attempt.ts';
import type { Delivery, DeliveryFilter, NewDelivery } from './delivery.ts';
import { createSendDue, type SendDeps } from './send-due.ts';
import type { DeliveryRow, DeliveryStore } from './store.ts';

export {
  type Delivery,
  type DeliveryFilter,
  deliveryStates,
  type Message,
  type NewDelivery,
} from './delivery.ts';

/** Messages on their way to channels: stored before they are sent, so that none is lost when the manager ends. */
export interface Outbox {
  /** Stores deliveries; they are sent soon after the commit. Those of channels that no longer exist are dropped. */
  enqueue(deliveries: readonly NewDelivery[], transaction?: Transaction): Promise<void>;
  /** Sends what is due, until nothing is. @returns how many were delivered */
  deliverDue(signal: AbortSignal): Promise<number>;
  /** The delivery log, newest first. */
  list(filter: DeliveryFilter, paging: Paging): Promise<Page<Delivery>>;
  /** How many are waiting or being sent. */
  pending(channelId?: string): Promise<number>;
}

export interface OutboxDeps extends SendDeps {
  channels: SendDeps['channels'] & Pick<ChannelService, 'existingIds'>;
}

export type OutboxService = ReturnType<typeof createOutbox>;

/** Keeps deliveries and sends them. */
export function createOutbox(rows: DeliveryStore, deps: OutboxDeps) {
  const { channels, clock } = deps;
  const sendDue = createSendDue(rows, deps);
  let running: Promise<number> | undefined;
  let isWoken = false;
  let wakeSignal = Promise.withResolvers<void>();
  const listeners = new Set<() => void>();

  function wake(): void {
    isWoken = true;
    wakeSignal.resolve();
    for (const listener of listeners) listener();
  }

  /** Resolves at the next wake. */
  function woken(): Promise<void> {
    isWoken = false;
    wakeSignal = Promise.withResolvers<void>();
    return wakeSignal.promise;
  }

  const outbox: Outbox = {
    async enqueue(deliveries, transaction) {
      const known = await channels.existingIds(transaction);
      const now = clock.now();
      const fresh = deliveries.filter(({ channelId }) => known.has(channelId)).map((delivery) => rowOf(delivery, now));
      if (fresh.length === 0) return;
      await rows.insertNew(fresh, transaction);
      if (transaction) transaction.afterCommit(wake);
      else wake();
    },
    deliverDue(signal) {
      running ??= sendDue(signal, woken).finally(() => {
        running = undefined;
      });
      return running;
    },
    async list(filter, paging) {
      const { items, total } = await rows.list(filter, paging);
      return { items: items.map(deliveryOf), total };
    },
    pending: (channelId) => rows.pending(channelId),
  };

  return {
    ...outbox,
    /** Whether something is to be sent at once. */
    isWoken: () => isWoken,
    /** Calls the listener when something is to be sent. @returns ends that */
    onWake(listener: () => void): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** The last attempt to send through a channel. */
    async lastAttempt(channelId: string): Promise<Delivery | undefined> {
      const row = await rows.lastAttempt(channelId);
      return row && deliveryOf(row);
    },
    /** Sends a failed delivery again. @throws AppError not_found, invalid_state */
    async retry(id: string): Promise<Delivery> {
      const row = await rows.find(id);
      if (!row) throw notFound('delivery', id);
      const now = clock.now();
      const changes = { state: 'waiting', notBefore: now, expiresAt: after(now), attempts: 0 } as const;
      if (!(await rows.move(id, 'failed', changes)))
        throw new AppError('invalid_state', `Only a failed delivery can be sent again; this one is ${row.state}`);
      wake();
      return deliveryOf({ ...row, ...changes });
    },
    removeEndedBefore: rows.removeEndedBefore,
  };
}

const after = (date: Date): Date => new Date(date.getTime() + deliveryLifeMs);

const deliveryOf = (row: DeliveryRow): Delivery => ({
  ...row,
  message: { ...row.message, at: new Date(row.message.at) },
});

function rowOf({ key, channelId, message, notBefore, recipient }: NewDelivery, now: Date): DeliveryRow {
  return {
    id: idOf([channelId, recipient ?? '', key]),
    channelId,
    key,
    recipient: recipient ?? null,
    message: { ...message, at: message.at.toISOString() },
    state: 'waiting',
    attempts: 0,
    notBefore,
    expiresAt: after(notBefore > now ? notBefore : now),
    outcome: null,
    maybeTwice: false,
    createdAt: now,
    attemptedAt: null,
  };
}

/** A UUID (version 8) made from these parts: the same delivery has the same, also when it is enqueued twice. */
function idOf(parts: readonly string[]): string {
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
