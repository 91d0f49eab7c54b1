import type { Severity } from '../alert.ts';

/** What a channel sends. */
export interface Message {
  /** One line. */
  title: string;
  /** Plain text, a few lines. */
  text: string;
  /** Absolute address in the dashboard. */
  url: string;
  severity: Severity;
  at: Date;
  tenants: readonly { slug: string; name: string }[];
}

export interface NewDelivery {
  /** Once for each channel and recipient: a key that is stored already is not sent again. At most 255 characters. */
  key: string;
  channelId: string;
  message: Message;
  /** Not sent before (quiet hours, digests). */
  notBefore: Date;
  /** E-mail: the address of one user; absent: the channel's own recipients. Other kinds have none. */
  recipient?: string | undefined;
}

/**
 * waiting → sending → delivered, or back to waiting (to be repeated), or failed. A delivery that was `sending` when the manager
 * ended is waiting again after the start. A failed one becomes waiting when a user repeats it.
 */
export const deliveryStates = ['waiting', 'sending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

export interface Delivery {
  id: string;
  key: string;
  channelId: string;
  recipient: string | null;
  message: Message;
  state: DeliveryState;
  /** Requests made so far. */
  attempts: number;
  /** The next attempt is not made before. */
  notBefore: Date;
  /** No attempt is made after. */
  expiresAt: Date;
  /** What the channel answered last, or why it could not be reached; without secrets. */
  outcome: string | null;
  /** An earlier attempt may have arrived although its answer did not, and the channel can't recognize a repetition. */
  maybeTwice: boolean;
  createdAt: Date;
  /** When the last attempt ended. */
  attemptedAt: Date | null;
}

export interface DeliveryFilter {
  channelId?: string | undefined;
  state?: DeliveryState | undefined;
}
