import type { Channel, ChannelInput, ChannelKind } from './queries.ts';

/** What the manager shows in place of a secret, and keeps when it gets it back. */
const hidden = '***hidden***';

/** The form's fields, of all kinds. */
export interface ChannelValues {
  kind: ChannelKind;
  name: string;
  enabled: boolean;
  url: string;
  secret: string;
  server: string;
  topic: string;
  token: string;
  host: string;
  port: string;
  security: 'starttls' | 'tls' | 'none';
  username: string;
  password: string;
  from: string;
  recipients: string;
}

const empty: ChannelValues = {
  kind: 'email',
  name: '',
  enabled: true,
  url: '',
  secret: '',
  server: 'https://ntfy.sh',
  topic: '',
  token: '',
  host: '',
  port: '587',
  security: 'starttls',
  username: '',
  password: '',
  from: '',
  recipients: '',
};

/** Whether the channel has this secret. */
export const hasSecret = (channel: Channel | undefined, field: string): boolean => channel?.config[field] === hidden;

/** The form's beginning: secrets are empty, which keeps them. */
export function valuesOf(channel: Channel | undefined): ChannelValues {
  if (!channel) return empty;
  const config = Object.entries(channel.config).map(([field, value]) => [
    field,
    value === hidden ? '' : Array.isArray(value) ? value.join(', ') : String(value),
  ]);
  const { kind, name, enabled } = channel;
  return { ...empty, ...Object.fromEntries(config), kind, name, enabled };
}

/** The form as the manager takes it. */
export function inputOf(values: ChannelValues, channel: Channel | undefined): ChannelInput {
  const { kind, name, enabled, host, security, username, from, server, topic } = values;
  const secret = (field: 'url' | 'secret' | 'token' | 'password'): string =>
    values[field] === '' && hasSecret(channel, field) ? hidden : values[field];
  const base = { name, enabled };
  switch (kind) {
    case 'email': {
      const recipients = values.recipients.split(/[\s,;]+/).filter(Boolean);
      const port = Number(values.port);
      const config = { host, port, security, username, password: secret('password'), from, recipients };
      return { ...base, kind, config };
    }
    case 'ntfy':
      return { ...base, kind, config: { server, topic, token: secret('token') } };
    case 'webhook':
      return { ...base, kind, config: { url: secret('url'), secret: secret('secret') } };
    case 'slack':
    case 'discord':
    case 'teams':
    case 'mattermost':
      return { ...base, kind, config: { url: secret('url') } };
    default:
      return kind satisfies never;
  }
}

/** A new signing secret of 256 bits. */
export const newSigningSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(32))))}`;
