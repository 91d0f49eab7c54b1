import { addressRule } from '../../lib/outbound-http/address.ts';
import { createConnect } from '../../lib/outbound-http/connect.ts';
import type { ChannelAdapter, Outgoing, SendContext } from './channel.ts';
import { discord } from './discord.ts';
import { mattermost } from './mattermost.ts';
import { ntfy } from './ntfy.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { webhook } from './webhook.ts';

const mailPorts = [25, 465, 587, 2525];
const timeoutMs = 20_000;

/** nodemailer is loaded when it is first needed. */
const email: ChannelAdapter<Parameters<typeof import('./email.ts')['email']['send']>[0]> = {
  recognizesRepetition: true,
  send: async (config, outgoing, context) => (await import('./email.ts')).email.send(config, outgoing, context),
};

const adapters = { email, slack, discord, teams, mattermost, ntfy, webhook };
type Adapters = typeof adapters;
export type SenderKind = keyof Adapters;
/** What an adapter needs, secrets included. */
export type SenderConfig<Kind extends SenderKind> = Parameters<Adapters[Kind]['send']>[0];
/** The kind and its configuration, which belong together. */
export type Destination = { [Kind in SenderKind]: { kind: Kind; config: SenderConfig<Kind> } }[SenderKind];

/** Sends messages to services. */
export interface Senders {
  /** Whether receivers of this kind recognize a message that arrives twice. */
  recognizesRepetition(kind: SenderKind): boolean;
  /** @returns what the service answered. @throws DeliveryError */
  send(destination: Destination, outgoing: Outgoing, signal: AbortSignal): Promise<string>;
  /** Signs in at a mail server and sends nothing. @throws DeliveryError */
  verifyMail(config: SenderConfig<'email'>, signal: AbortSignal): Promise<void>;
  /** Refuses an address by its text, before anything is sent. @throws OutboundError blocked */
  readonly rules: { web: ReturnType<typeof addressRule>; mail: ReturnType<typeof addressRule> };
}

/** @param allowPrivate also to private addresses and other ports: for a service in the own network */
export function createSenders({
  allowPrivate,
  ...rest
}: { allowPrivate: boolean } & Pick<Partial<SendContext>, 'mailAuthorities' | 'timeoutMs'>): Senders {
  const web = addressRule({ allowPrivate });
  const mail = addressRule({ allowPrivate, ports: mailPorts });
  const context = {
    timeoutMs,
    ...rest,
    connectWeb: createConnect({ rule: web }),
    connectMail: createConnect({ rule: mail }),
  };
  return {
    rules: { web, mail },
    recognizesRepetition: (kind) => adapters[kind].recognizesRepetition,
    verifyMail: async (config, signal) => (await import('./email.ts')).email.verify(config, { ...context, signal }),
    send({ kind, config }, outgoing, signal) {
      // The union of destinations pairs each kind with its configuration, which this call can't express.
      const adapter = adapters[kind] as ChannelAdapter<typeof config>;
      return adapter.send(config, outgoing, { ...context, signal });
    },
  };
}
