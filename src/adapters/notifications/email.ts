import { createTransport, type Transporter } from 'nodemailer';
import type { SentMessageInfo } from 'nodemailer/lib/smtp-transport/index.js';
import { actingDeadline } from '../../lib/concurrency/acting-deadline.ts';
import { messageOf } from '../../lib/errors.ts';
import { OutboundError } from '../../lib/outbound-http/outbound-error.ts';
import {
  type ChannelAdapter,
  DeliveryError,
  type Outgoing,
  type SendContext,
  severityNames,
  tenantsLine,
} from './channel.ts';

interface EmailConfig {
  host: string;
  port: number;
  /** `none`: without encryption, and so without a password. */
  security: 'starttls' | 'tls' | 'none';
  /** Empty: no sign-in. */
  username: string;
  password: string;
  from: string;
  recipients: readonly string[];
}

/**
 * E-mail over SMTP. Certificates are verified. The `Message-ID` stays the same for each attempt: mail servers that suppress
 * duplicates, and most clients, show such a message once.
 */
export const email: ChannelAdapter<EmailConfig> & { verify(config: EmailConfig, context: SendContext): Promise<void> } =
  {
    recognizesRepetition: true,
    async send(config, outgoing, context) {
      const { from } = config;
      const to = outgoing.recipient ? [outgoing.recipient] : [...config.recipients];
      if (to.length === 0) throw new DeliveryError('The channel has no recipients', { retry: false });
      return withTransport(config, context, async (transport) => {
        const { accepted, rejected, response } = await transport.sendMail({
          from,
          to,
          subject: `[Tenantry] ${outgoing.title}`,
          text: plainText(outgoing),
          html: html(outgoing),
          date: outgoing.at,
          messageId: `<${outgoing.id}@${from.split('@').at(-1)}>`,
          headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
        });
        const refused = rejected.map(String);
        const note = refused.length > 0 ? `; rejected: ${refused.join(', ')}` : '';
        return `${response} (${accepted.length} of ${to.length} recipients${note})`;
      });
    },
    /** Signs in and sends nothing. @throws DeliveryError */
    async verify(config, context) {
      await withTransport(config, context, (transport) => transport.verify());
    },
  };

async function withTransport<T>(
  config: EmailConfig,
  context: SendContext,
  use: (transport: Transporter<SentMessageInfo>) => Promise<T>,
): Promise<T> {
  const { host, port, security, username, password } = config;
  const { signal, timeoutMs } = context;
  const late = AbortSignal.timeout(timeoutMs);
  const socket = await connected(config, context);
  const transport = createTransport({
    host,
    port,
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    ...(username ? { auth: { user: username, pass: password } } : {}),
    ...(context.mailAuthorities ? { tls: { ca: context.mailAuthorities } } : {}),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
    getSocket: (_options, callback) => callback(null, { connection: socket }),
  });
  const end = (): void => void socket.destroy();
  const ending = AbortSignal.any([signal, late]);
  ending.addEventListener('abort', end, { once: true });
  try {
    return await use(transport);
  } catch (error) {
    throw failureOf(error, { host, stopped: signal.aborted, late: late.aborted });
  } finally {
    ending.removeEventListener('abort', end);
    transport.close();
    socket.destroy();
  }
}

async function connected({ host, port }: EmailConfig, { connectMail, signal }: SendContext) {
  try {
    const socket = await connectMail({ host, port }, signal);
    actingDeadline.check();
    return socket;
  } catch (cause) {
    if (!(cause instanceof OutboundError)) throw cause;
    throw new DeliveryError(cause.message, { retry: cause.problem !== 'blocked', cause });
  }
}

/** Codes of nodemailer that a change of the channel is needed for. */
const permanent = new Set(['EAUTH', 'EENVELOPE', 'EMESSAGE']);

/** SMTP answers 4xx to what may succeed later, and 5xx to what can't. */
function failureOf(error: unknown, { host, stopped, late }: { host: string; stopped: boolean; late: boolean }): Error {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  if (stopped) return new DeliveryError('The manager stopped', { retry: true, cause: error });
  if (late) return new DeliveryError(`${host} did not answer in time`, { retry: true, cause: error });
  const retry = responseCode === undefined ? !permanent.has(code ?? '') : responseCode < 500;
  return new DeliveryError(`${host}: ${messageOf(error)}`, { retry, cause: error });
}

function plainText({ text, url, severity, tenants }: Outgoing): string {
  return [severityNames[severity], text, tenantsLine(tenants), url].filter(Boolean).join('\n\n');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => escapes[character] ?? '');

/** Simple HTML: mail clients understand little more. */
function html({ title, text, url, severity, tenants }: Outgoing): string {
  const paragraphs = [text, tenantsLine(tenants)].filter(Boolean);
  return [
    '<!doctype html><html lang="en"><body style="font-family:sans-serif;line-height:1.5">',
    `<p><strong>${severityNames[severity]}</strong></p>`,
    `<h1 style="font-size:1.2em">${escaped(title)}</h1>`,
    ...paragraphs.map((paragraph) => `<p>${escaped(paragraph).replaceAll('\n', '<br>')}</p>`),
    `<p><a href="${escaped(url)}">Open in Tenantry</a></p>`,
    '</body></html>',
  ].join('\n');
}
