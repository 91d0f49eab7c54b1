import type { Connect } from '../../lib/outbound-http/connect.ts';

/** A message on its way to a service. */
export interface Outgoing {
  /** The same for each attempt, so that services that can do it recognize a repetition. */
  id: string;
  /** One line. */
  title: string;
  /** Plain text, a few lines. */
  text: string;
  /** The page of the dashboard it is about. */
  url: string;
  severity: 'info' | 'warning' | 'error' | 'critical';
  at: Date;
  tenants: readonly { slug: string; name: string }[];
  /** E-mail: instead of the channel's own recipients. */
  recipient?: string | undefined;
}

export interface SendContext {
  /** Connects to web services, as the rule allows. */
  connectWeb: Connect;
  /** Connects to mail servers, as the rule allows. */
  connectMail: Connect;
  /** Further authorities (PEM) that mail servers' certificates may come from (tests). */
  mailAuthorities?: string | undefined;
  timeoutMs: number;
  signal: AbortSignal;
}

/** Sends to one kind of service. */
export interface ChannelAdapter<Config> {
  /** Whether the receiver recognizes a message that arrives twice by its id. */
  recognizesRepetition: boolean;
  /** @returns what the service answered. @throws DeliveryError; the signal's reason when aborted */
  send(config: Config, outgoing: Outgoing, context: SendContext): Promise<string>;
}

interface Failure {
  /** Whether the same request may succeed later. */
  retry: boolean;
  /** The service asked for this pause. */
  retryAfterMs?: number | undefined;
  /** The service may have received the message. */
  maybeSent?: boolean;
  cause?: unknown;
}

/** A message that was not delivered; `message` says why in one sentence. */
export class DeliveryError extends Error {
  readonly retry: boolean;
  readonly retryAfterMs: number | undefined;
  readonly maybeSent: boolean;

  constructor(message: string, { retry, retryAfterMs, maybeSent = false, cause }: Failure) {
    super(message, { cause });
    this.name = 'DeliveryError';
    this.retry = retry;
    this.retryAfterMs = retryAfterMs;
    this.maybeSent = maybeSent;
  }
}

export const severityNames = { info: 'Info', warning: 'Warning', error: 'Error', critical: 'Critical' } as const;

/** Accents as the dashboard has them, for services that show a colour. */
export const severityColors = { info: 0x2f6feb, warning: 0xb7791f, error: 0xc53030, critical: 0x7f1d1d } as const;

/** `Tenants: Oak Valley, Pine Hill and 3 more`; empty without tenants. */
export function tenantsLine(tenants: Outgoing['tenants']): string {
  const maxShown = 20;
  if (tenants.length === 0) return '';
  const more = tenants.length > maxShown ? ` and ${tenants.length - maxShown} more` : '';
  const names = tenants.slice(0, maxShown).map(({ name }) => name);
  return `${tenants.length === 1 ? 'Tenant' : 'Tenants'}: ${names.join(', ')}${more}`;
}

/** A text cut to a service's limit. */
export const cut = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text);

/** Backslashes before the characters that Markdown gives a meaning: Discord and Mattermost show the text as it is. */
export const escapeMarkdown = (text: string): string => text.replace(/[\\*_~`|>#[\]()<!-]/g, '\\$&');
