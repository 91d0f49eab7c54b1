import { setTimeout as sleep } from 'node:timers/promises';
import { DeliveryError } from '../../../adapters/notifications/channel.ts';
import type { Clock } from '../../../lib/clock.ts';
import { mapConcurrently } from '../../../lib/concurrency/map-concurrently.ts';
import { RateLimiterMemory, RateLimiterQueue } from '../../../lib/concurrency/rate-limiter-memory.ts';
import { retryUntilStopped } from '../../../lib/concurrency/retry.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { ChannelService } from '../channels/channels.ts';
import { afterFailure } from './attempt.ts';
import type { DeliveryRow, DeliveryStore } from './store.ts';

export interface SendDeps {
  channels: Pick<ChannelService, 'get' | 'send' | 'recognizesRepetition'>;
  clock: Clock;
  logger: Logger;
}

/** Requests of one channel at the same time. */
const perChannel = 4;
/** Messages of one channel in a second: a thousand that waited must not slow the manager, nor exceed the service's limit at once. */
const perSecond = 10;
const readAtOnce = 100;
/** How often other channels are looked at while one is slow. */
const lookMs = 1_000;
/** A channel that failed is left in peace for this long at most, unless it asked for a longer pause. */
const maxChannelPauseMs = 60_000;
/** What is being sent when the manager stops may end within this time. */
const stopGraceMs = 5_000;

/**
 * Sends what is due: the channels side by side, each up to four requests at a time. After a failure that may pass, the channel
 * pauses, so that a server that is down is not asked once for each message.
 */
export function createSendDue(rows: DeliveryStore, { channels, clock, logger }: SendDeps) {
  /** Until when channels pause, in ms since 1970. */
  const paused = new Map<string, number>();
  const turns = new RateLimiterQueue(new RateLimiterMemory({ points: perSecond, duration: 1 }));
  let recovered = false;

  /** What an earlier manager was sending: whether it arrived is unknown, and an alert twice is better than none. */
  async function recover(): Promise<void> {
    for (const { id, channelId } of await rows.sending()) {
      const recognized = await channels.recognizesRepetition(channelId);
      await rows.move(id, 'sending', {
        state: 'waiting',
        outcome: 'The manager ended while it was sending',
        ...(recognized ? {} : { maybeTwice: true }),
      });
    }
    recovered = true;
  }

  async function send(delivery: DeliveryRow, stopping: AbortSignal, ending: AbortSignal): Promise<boolean> {
    const { id, channelId } = delivery;
    const attempts = delivery.attempts + 1;
    if (!(await rows.move(id, 'waiting', { state: 'sending', attempts, attemptedAt: clock.now() }))) return false;
    const record = (changes: Partial<DeliveryRow>) =>
      retryUntilStopped(() => rows.move(id, 'sending', { ...changes, attemptedAt: clock.now() }), {
        operation: `notification ${id}`,
        logger,
        stopping,
      });
    const outcome = await attempt(delivery, ending).catch((error: unknown) => ({ error }));
    if (typeof outcome === 'string') {
      paused.delete(channelId);
      await record({ state: 'delivered', outcome });
      return true;
    }
    const { error } = outcome;
    // Its deliveries were removed with it.
    if (error instanceof AppError && error.code === 'not_found') return false;
    const changes = afterFailure({ ...delivery, attempts }, error, {
      now: clock.now(),
      stopping: ending.aborted,
      recognizesRepetition: await channels.recognizesRepetition(channelId),
    });
    if (changes.notBefore) pauseChannel(channelId, error, changes.notBefore);
    if (changes.state === 'failed') logger.warn({ channel: channelId, delivery: id }, 'a notification failed');
    await record(changes);
    return false;
  }

  async function attempt({ id, channelId, message, recipient }: DeliveryRow, ending: AbortSignal): Promise<string> {
    if (!(await channels.get(channelId)).enabled) throw new DeliveryError('The channel is disabled', { retry: false });
    const outgoing = { ...message, id, at: new Date(message.at), recipient: recipient ?? undefined };
    return channels.send(channelId, outgoing, ending);
  }

  function pauseChannel(channelId: string, error: unknown, notBefore: Date): void {
    const asked = error instanceof DeliveryError && error.retryAfterMs !== undefined;
    const latest = asked ? Number.POSITIVE_INFINITY : clock.now().getTime() + maxChannelPauseMs;
    paused.set(channelId, Math.min(notBefore.getTime(), latest));
  }

  const isPaused = (channelId: string): boolean => (paused.get(channelId) ?? 0) > clock.now().getTime();

  /** Sends what one channel has, until nothing is due or it pauses. @returns how many were delivered */
  async function sendOf(channelId: string, stopping: AbortSignal, ending: AbortSignal): Promise<number> {
    let delivered = 0;
    const continues = (): boolean => !stopping.aborted && !isPaused(channelId);
    while (continues()) {
      const some = await rows.dueOf(channelId, clock.now(), readAtOnce);
      if (some.length === 0) break;
      function* left() {
        for (const delivery of some) if (continues()) yield delivery;
      }
      await mapConcurrently(left(), perChannel, async (delivery) => {
        await turns.removeTokens(1, channelId);
        if (continues() && (await send(delivery, stopping, ending))) delivered += 1;
      });
    }
    return delivered;
  }

  /**
   * @param woken resolves when something new is to be sent
   * @returns how many were delivered
   */
  return async function sendDue(signal: AbortSignal, woken: () => Promise<void>): Promise<number> {
    const ending = new AbortController();
    const stop = (): void => {
      setTimeout(() => ending.abort(new Error('The manager stops')), stopGraceMs).unref();
    };
    signal.addEventListener('abort', stop, { once: true });
    let delivered = 0;
    const busy = new Map<string, Promise<void>>();
    try {
      if (!recovered) await recover();
      for (;;) {
        const next = woken();
        const due = signal.aborted ? [] : await rows.dueChannels(clock.now());
        for (const channelId of due.filter((id) => !busy.has(id) && !isPaused(id)))
          busy.set(
            channelId,
            sendOf(channelId, signal, ending.signal)
              .then(
                (count) => {
                  delivered += count;
                },
                (error: unknown) =>
                  logger.error({ channel: channelId, message: messageOf(error) }, 'notifications were not sent'),
              )
              .finally(() => busy.delete(channelId)),
          );
        if (busy.size === 0) return delivered;
        await Promise.race([...busy.values(), next, sleep(lookMs, undefined, { ref: false })]);
      }
    } finally {
      await Promise.all(busy.values());
      signal.removeEventListener('abort', stop);
    }
  };
}
