import type { Actor, WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import { DeliveryError, type Outgoing } from '../../../adapters/notifications/channel.ts';
import type { Destination, Senders } from '../../../adapters/notifications/senders.ts';
import type { Transaction } from '../../../adapters/store/store.ts';
import type { Clock } from '../../../lib/clock.ts';
import { AppError, messageOf, notFound } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { SecretBox } from '../../../lib/secret-box.ts';
import { type ChannelKind, type Config, destinationOf, hiddenMarker, targetOf } from './kinds.ts';
import { checkDestination, completed, redact, splitConfig } from './secrets.ts';
import type { ChannelRow, ChannelStore } from './store.ts';

/** A way to reach people, without its secrets. */
export interface Channel {
  id: string;
  kind: ChannelKind;
  name: string;
  /** Nothing is sent through a disabled one. */
  enabled: boolean;
}

/** The channels that administrators have set up. */
export interface Channels {
  /** All of them, by name. */
  list(): Promise<Channel[]>;
  /** @throws AppError not_found */
  get(id: string): Promise<Channel>;
}

/** A channel as administrators see it: secrets are hidden. */
export interface ChannelView extends Channel {
  /** Where it leads, without secrets. */
  target: string;
  config: Config;
  createdAt: Date;
  updatedAt: Date;
}

export interface NewChannel {
  kind: ChannelKind;
  name: string;
  enabled: boolean;
  config: Config;
}

export interface ChannelsDeps {
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  secretBox: SecretBox;
  senders: Senders;
}

export type ChannelService = ReturnType<typeof createChannels>;

/** Each may have deliveries in progress at the same time. */
const maxChannels = 50;

/** Binds the sealed secrets to their channel (additional authenticated data). */
export const channelContext = (id: string): string => `notification_channel:${id}`;

/** Stores channels with sealed secrets, and sends through them. */
export function createChannels(rows: ChannelStore, { clock, writeAuditLog, secretBox, senders }: ChannelsDeps) {
  async function existing(id: string): Promise<ChannelRow> {
    const row = await rows.find({ id });
    if (!row) throw notFound('notification channel', id);
    return row;
  }

  /** @throws Error that says what to do when SECRET_KEY changed */
  function opened({ id, config, secrets }: ChannelRow): { config: Config; secrets: Record<string, string> } {
    if (secrets === '') return { config, secrets: {} };
    let known: Record<string, string>;
    try {
      known = JSON.parse(secretBox.open(secrets, channelContext(id)));
    } catch (cause) {
      throw new Error("The channel's secrets can't be decrypted: enter them again", { cause });
    }
    return { config: { ...config, ...known }, secrets: known };
  }

  /** The row of a checked configuration. */
  function rowOf(id: string, { kind, name, enabled, config }: NewChannel, createdAt: Date): ChannelRow {
    const destination = destinationOf(kind, config);
    checkDestination(destination, senders.rules);
    const { open, secret } = splitConfig(kind, config);
    return {
      id,
      kind,
      name,
      enabled,
      target: targetOf(destination).slice(0, 255),
      config: open,
      secrets: Object.keys(secret).length === 0 ? '' : secretBox.seal(JSON.stringify(secret), channelContext(id)),
      createdAt,
      updatedAt: clock.now(),
    };
  }

  const audit = (row: ChannelRow, what: string, actor: Actor, details: Record<string, unknown> = {}) =>
    writeAuditLog({
      level: 'info',
      category: 'audit',
      topic: 'settings',
      message: `Notification channel ${row.name} ${what} by ${actor.username}`,
      details: { user_id: actor.userId, username: actor.username, channel_id: row.id, kind: row.kind, ...details },
    });

  function viewOf({ secrets, config, kind, ...row }: ChannelRow): ChannelView {
    // Whether a secret is set must be visible without opening it: the key may be another one.
    const { names } = splitConfig(kind, config);
    const hidden = Object.fromEntries(names.map((name) => [name, secrets === '' ? '' : hiddenMarker]));
    return { ...row, kind, config: { ...config, ...hidden } };
  }

  /** Uses a channel's destination. @throws DeliveryError, without the channel's secrets */
  async function withDestination(
    { kind, ...row }: ChannelRow,
    signal: AbortSignal,
    use: (destination: Destination) => Promise<string>,
  ): Promise<string> {
    let secrets: Record<string, string> = {};
    try {
      const known = opened({ kind, ...row });
      secrets = known.secrets;
      return redact(await use(completeDestination(kind, known.config)), secrets);
    } catch (error) {
      const { retry = signal.aborted, retryAfterMs, maybeSent = false } = error instanceof DeliveryError ? error : {};
      // Without its cause, which may quote the address.
      throw new DeliveryError(redact(messageOf(error), secrets), { retry, retryAfterMs, maybeSent });
    }
  }

  return {
    async list(): Promise<Channel[]> {
      const all = await rows.all({ only: ['id', 'kind', 'name', 'enabled'], order: [['name', 'ASC']] });
      return all.map(({ id, kind, name, enabled }) => ({ id, kind, name, enabled }));
    },
    async get(id: string): Promise<Channel> {
      const { kind, name, enabled } = await existing(id);
      return { id, kind, name, enabled };
    },
    show: async (id: string): Promise<ChannelView> => viewOf(await existing(id)),
    showAll: async (): Promise<ChannelView[]> => (await rows.all({ order: [['name', 'ASC']] })).map(viewOf),

    /** @throws AppError validation_error, invalid_state */
    async create(channel: NewChannel, actor: Actor): Promise<ChannelView> {
      if ((await rows.count({})) >= maxChannels)
        throw new AppError('invalid_state', `There are ${maxChannels} channels already. Delete one first.`);
      const row = rowOf(newId(), { ...channel, config: completed(channel, undefined) }, clock.now());
      await rows.insert(row);
      await audit(row, 'created', actor);
      return viewOf(row);
    },

    /** Replaces everything but the kind; a secret that is sent hidden is kept. @throws AppError not_found, validation_error */
    async change(id: string, channel: NewChannel, actor: Actor): Promise<ChannelView> {
      const before = await existing(id);
      if (before.kind !== channel.kind)
        throw new AppError('invalid_state', 'The kind of a channel can’t be changed. Create another channel.');
      const keepsSecret = Object.values(channel.config).includes(hiddenMarker);
      const stored = keepsSecret ? opened(before) : undefined;
      const row = rowOf(id, { ...channel, config: completed(channel, stored) }, before.createdAt);
      await rows.update(row, { id });
      // Only names: values may be addresses of people.
      const fields = Object.keys(channel.config).filter(
        (field) => JSON.stringify(channel.config[field]) !== JSON.stringify(viewOf(before).config[field]),
      );
      await audit(row, 'changed', actor, { fields, enabled: row.enabled });
      return viewOf(row);
    },

    /** Removes it with its deliveries. @throws AppError not_found */
    async remove(id: string, actor: Actor): Promise<void> {
      const row = await existing(id);
      await rows.remove({ id });
      await audit(row, 'deleted', actor);
    },

    /** The ids that exist. */
    async existingIds(transaction?: Transaction): Promise<Set<string>> {
      return new Set((await rows.all({ only: ['id'], ...(transaction && { transaction }) })).map(({ id }) => id));
    },

    recognizesRepetition: async (id: string): Promise<boolean> =>
      senders.recognizesRepetition((await existing(id)).kind),

    /**
     * Sends now, whether enabled or not.
     * @returns what the service answered, without the channel's secrets
     * @throws DeliveryError, without the channel's secrets; AppError not_found
     */
    send: async (id: string, outgoing: Outgoing, signal: AbortSignal): Promise<string> =>
      withDestination(await existing(id), signal, (destination) => senders.send(destination, outgoing, signal)),

    /** Signs in at the mail server of a channel, and sends nothing. @throws DeliveryError; AppError not_found */
    async verifyMail(id: string, signal: AbortSignal): Promise<void> {
      await withDestination(await existing(id), signal, async ({ kind, config }) => {
        if (kind === 'email') await senders.verifyMail(config, signal);
        return '';
      });
    },
  };
}

/** Of a stored channel, whose secrets may have been cleared with a lost SECRET_KEY. */
function completeDestination(kind: ChannelKind, config: Config) {
  try {
    return destinationOf(kind, config);
  } catch (cause) {
    throw new Error('The configuration of the channel is incomplete: enter its secrets again', { cause });
  }
}
