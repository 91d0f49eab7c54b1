import { afterEach, describe, expect, test } from '@jest/globals';
import type { Outgoing } from '../../../../src/adapters/notifications/channel.ts';
import { createSenders, type SenderConfig } from '../../../../src/adapters/notifications/senders.ts';
import { type MailServer, mailAccount, startMailServer } from '../../../harness/servers/smtp.ts';

const servers: MailServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
});
const start: typeof startMailServer = async (options) => {
  const server = await startMailServer(options);
  servers.push(server);
  return server;
};

const outgoing: Outgoing = {
  id: '01234567-89ab-8def-8123-456789abcdef',
  title: 'Oak is down\r\nBcc: thief@example.org',
  text: 'First <b>line</b>\nSecond line',
  url: 'https://tenantry.test/incidents/1',
  severity: 'error',
  at: new Date('2026-11-25T20:00:00.000Z'),
  tenants: [{ slug: 'oak', name: 'Oak Valley' }],
};

async function send(
  server: MailServer,
  config: Partial<SenderConfig<'email'>> = {},
  more: Partial<Outgoing> = {},
  trusted = true,
) {
  const senders = createSenders({
    allowPrivate: true,
    timeoutMs: 2_000,
    ...(trusted ? { mailAuthorities: server.authority } : {}),
  });
  const whole: SenderConfig<'email'> = {
    host: 'localhost',
    port: server.port,
    security: 'starttls',
    username: '',
    password: '',
    from: 'tenantry@example.org',
    recipients: ['ops@example.org', 'night@example.org'],
    ...config,
  };
  return senders.send({ kind: 'email', config: whole }, { ...outgoing, ...more }, new AbortController().signal);
}

describe('e-mail', () => {
  test.each(['starttls', 'tls'] as const)('signs in over %s and sends plain text and HTML', async (security) => {
    const server = await start({ security, auth: true });
    expect(await send(server, { security, ...mailAccount })).toBe('250 taken (2 of 2 recipients)');
    const [mail] = server.received;
    expect(mail).toMatchObject({
      from: 'tenantry@example.org',
      to: ['ops@example.org', 'night@example.org'],
      secure: true,
      user: mailAccount.username,
    });
    expect(mail?.text).toContain('Message-ID: <01234567-89ab-8def-8123-456789abcdef@example.org>');
    expect(mail?.text).toContain('Auto-Submitted: auto-generated');
    expect(mail?.text.replaceAll('=\r\n', '')).toContain('First &lt;b&gt;line&lt;/b&gt;<br>Second line');
    expect(mail?.text).toMatch(/^Subject: \[Tenantry\] Oak is down Bcc: thief@example.org/m);
    expect(mail?.text.split('\r\n\r\n')[0]).not.toMatch(/^Bcc:/m);
  });

  test('goes to one user where the message names one', async () => {
    const server = await start({ security: 'none' });
    await send(server, { security: 'none' }, { recipient: 'ada@example.org' });
    expect(server.received[0]?.to).toEqual(['ada@example.org']);
  });

  test('a certificate that is not trusted, or a server without STARTTLS: nothing is sent', async () => {
    const server = await start({ auth: true });
    await expect(send(server, mailAccount, {}, false)).rejects.toMatchObject({ retry: true });
    const open = await start({ security: 'none', auth: true });
    await expect(send(open, mailAccount)).rejects.toThrow('STARTTLS');
    expect([server.received, open.received]).toEqual([[], []]);
  });

  test('a wrong password fails at once; a server that is busy is asked again', async () => {
    const server = await start({ auth: true });
    await expect(send(server, { ...mailAccount, password: 'wrong' })).rejects.toMatchObject({ retry: false });
    const busy = await start({
      security: 'none',
      onMessage: async () => {
        throw Object.assign(new Error('Try later'), { responseCode: 451 });
      },
    });
    await expect(send(busy, { security: 'none' })).rejects.toMatchObject({
      retry: true,
      message: expect.stringContaining('Try later'),
    });
  });

  test('a server that takes the text and does not answer is asked again', async () => {
    const silent = await start({ security: 'none', onMessage: () => new Promise(() => undefined) });
    await expect(send(silent, { security: 'none' })).rejects.toMatchObject({
      retry: true,
      message: 'localhost did not answer in time',
    });
  });

  test('a rejected recipient does not keep the others from it', async () => {
    const server = await start({
      security: 'none',
      options: {
        onRcptTo: ({ address }, _session, callback) =>
          callback(address.startsWith('night') ? Object.assign(new Error('Unknown'), { responseCode: 550 }) : null),
      },
    });
    expect(await send(server, { security: 'none' })).toBe('250 taken (1 of 2 recipients; rejected: night@example.org)');
    expect(server.received[0]?.to).toEqual(['ops@example.org']);
  });

  test('a mail server at a private address, or another port, is refused', async () => {
    const senders = createSenders({ allowPrivate: false });
    const at = (host: string, port: number) =>
      senders.send(
        {
          kind: 'email',
          config: { host, port, security: 'tls', username: '', password: '', from: 'a@b.org', recipients: ['c@d.org'] },
        },
        outgoing,
        new AbortController().signal,
      );
    await expect(at('127.0.0.1', 587)).rejects.toMatchObject({
      retry: false,
      message: expect.stringContaining('blocked'),
    });
    await expect(at('8.8.8.8', 22)).rejects.toMatchObject({
      retry: false,
      message: '8.8.8.8:22 is blocked by rule: only ports 25, 465, 587 and 2525 are asked',
    });
  });
});
