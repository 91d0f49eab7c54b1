import { z } from 'zod';
import type { Destination } from '../../../adapters/notifications/senders.ts';

export const channelKinds = ['email', 'slack', 'discord', 'teams', 'mattermost', 'ntfy', 'webhook'] as const;
export type ChannelKind = (typeof channelKinds)[number];

/** Shown instead of a secret that is set; sent back, it keeps the secret. */
export const hiddenMarker = '***hidden***';

const addressRule = 'Must be an http or https address without user name or password';
const address = z.string().trim().max(2_000);
const secretAddress = address
  .refine((text) => text === hiddenMarker || isWebAddress(text), addressRule)
  .meta({ format: 'password', description: 'Kept secret: its path is a password' });
const emailAddress = z.email().max(255);
/** Characters that can be in a header or a sign-in. */
const text = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[^\p{Cc}]*$/u, 'Must not contain control characters');

const byWebhook = z.strictObject({ url: secretAddress });

/** What each kind of channel needs. */
export const configSchemas = {
  email: z
    .strictObject({
      host: z
        .string()
        .trim()
        .min(1)
        .max(253)
        .regex(/^[A-Za-z0-9.:_-]+$/, 'Must be a host name or an IP address'),
      port: z.int().min(1).max(65_535),
      security: z.enum(['starttls', 'tls', 'none']),
      username: text(255).default(''),
      password: text(1_000).default('').meta({ format: 'password' }),
      from: emailAddress,
      recipients: z.array(emailAddress).max(50).default([]),
    })
    .refine(({ security, username }) => security !== 'none' || username === '', {
      path: ['security'],
      message: 'Must be starttls or tls with a user name: the password would be sent unencrypted',
    }),
  slack: byWebhook,
  discord: byWebhook,
  teams: byWebhook,
  mattermost: byWebhook,
  ntfy: z.strictObject({
    server: address.refine(isWebAddress, addressRule).default('https://ntfy.sh'),
    topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, 'Must be 1 to 64 letters, digits, - or _'),
    token: text(255)
      .regex(/^[\x21-\x7e]*$/, 'Must not contain white space')
      .default('')
      .meta({ format: 'password' }),
  }),
  webhook: z.strictObject({
    url: secretAddress,
    secret: z
      .string()
      .refine(
        (secret) => secret === hiddenMarker || isSigningSecret(secret),
        'Must be whsec_ and 24 to 64 bytes in base64',
      )
      .meta({ format: 'password', description: 'Signs each request, see standardwebhooks.com' }),
  }),
} as const satisfies Record<ChannelKind, z.ZodType>;

export type ConfigValue = string | number | readonly string[];
/** A configuration of any kind, by field. */
export type Config = Readonly<Record<string, ConfigValue>>;

/** The fields that are sealed, and those whose change makes them invalid: a password must not reach another server. */
export const secretFields: Readonly<Record<ChannelKind, { secret: readonly string[]; boundTo: readonly string[] }>> = {
  email: { secret: ['password'], boundTo: ['host', 'port', 'security', 'username'] },
  slack: { secret: ['url'], boundTo: [] },
  discord: { secret: ['url'], boundTo: [] },
  teams: { secret: ['url'], boundTo: [] },
  mattermost: { secret: ['url'], boundTo: [] },
  ntfy: { secret: ['token'], boundTo: ['server'] },
  webhook: { secret: ['url', 'secret'], boundTo: [] },
};

/** A kind and its configuration, as adapters take them. @throws ZodError when a stored configuration is incomplete */
export function destinationOf(kind: ChannelKind, config: Config): Destination {
  switch (kind) {
    case 'email':
      return { kind, config: configSchemas.email.parse(config) };
    case 'ntfy':
      return { kind, config: configSchemas.ntfy.parse(config) };
    case 'webhook':
      return { kind, config: configSchemas.webhook.parse(config) };
    case 'slack':
    case 'discord':
    case 'teams':
    case 'mattermost':
      return { kind, config: byWebhook.parse(config) };
    default:
      return kind satisfies never;
  }
}

/** The web address that a channel posts to; undefined for e-mail. */
export const webAddressOf = ({
  kind,
  config,
}: Destination): { field: 'url' | 'server'; address: string } | undefined =>
  kind === 'email'
    ? undefined
    : kind === 'ntfy'
      ? { field: 'server', address: config.server }
      : { field: 'url', address: config.url };

/** Where a channel leads, for lists: a host, without the secret path. */
export function targetOf(destination: Destination): string {
  const { kind, config } = destination;
  if (kind === 'email') return config.recipients.join(', ') || config.host;
  const host = new URL(webAddressOf(destination)?.address ?? '').host;
  return kind === 'ntfy' ? `${host}/${config.topic}` : host;
}

function isWebAddress(text: string): boolean {
  if (/[\s\p{Cc}]/u.test(text)) return false;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function isSigningSecret(secret: string): boolean {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  if (!encoded || encoded.length % 4 !== 0) return false;
  const { length } = Buffer.from(encoded, 'base64');
  return length >= 24 && length <= 64;
}
