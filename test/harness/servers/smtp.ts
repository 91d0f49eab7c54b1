import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import { issue } from '../../unit/adapters/certificates/issue.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  text: string;
  /** Whether the connection was encrypted. */
  secure: boolean;
  user: string | undefined;
}

export interface MailServer {
  port: number;
  received: ReceivedMail[];
  /** The authority of its certificate for `localhost` (PEM), which clients have to trust. */
  authority: string;
  stop(): Promise<void>;
}

export const mailAccount = { username: 'tenantry', password: 'velvet anchor 42' };

interface MailOptions {
  /** STARTTLS unless given; `none` offers no encryption. */
  security?: 'tls' | 'starttls' | 'none';
  /** Demands the account of tests. */
  auth?: boolean;
  /** Called with each message before it is taken; an error is the answer, with its `responseCode`. */
  onMessage?: (mail: ReceivedMail) => Promise<void>;
  options?: SMTPServerOptions;
}

/** Starts a real SMTP server on loopback. */
export async function startMailServer({
  security = 'starttls',
  auth = false,
  onMessage,
  options = {},
}: MailOptions = {}): Promise<MailServer> {
  const authority = await issue({ subject: 'CN=mail authority', ca: true });
  const leaf = await issue({ names: ['localhost'], by: authority });
  const received: ReceivedMail[] = [];
  const hidden = security === 'none' ? ['STARTTLS'] : [];
  const server = new SMTPServer({
    secure: security === 'tls',
    key: leaf.key,
    cert: leaf.pem,
    disabledCommands: auth ? hidden : [...hidden, 'AUTH'],
    onAuth: ({ username, password }, _session, callback) =>
      username === mailAccount.username && password === mailAccount.password
        ? callback(null, { user: username })
        : callback(Object.assign(new Error(`Invalid login of ${username} with ${password}`), { responseCode: 535 })),
    onData(stream, session, callback) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const mail = {
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString('utf8'),
          secure: session.secure,
          user: session.user as string | undefined,
        };
        (onMessage?.(mail) ?? Promise.resolve()).then(() => {
          received.push(mail);
          callback(null, 'taken');
        }, callback);
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.server.address() as AddressInfo).port,
    received,
    authority: authority.pem,
    stop: () => new Promise((resolve) => void server.close(() => resolve())),
  };
}
