import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { DeliveryError, type Outgoing } from '../../../../src/adapters/notifications/channel.ts';
import { retryAfterMs } from '../../../../src/adapters/notifications/post-json.ts';
import { createSenders, type Destination } from '../../../../src/adapters/notifications/senders.ts';
import { type Receiver, startReceiver } from '../../../harness/servers/receiver.ts';

let receiver: Receiver;
beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(() => receiver.stop());
beforeEach(() => void receiver.received.splice(0));

const senders = createSenders({ allowPrivate: true, timeoutMs: 1_000 });
const hostile = '<!channel> @everyone @here *bold* [link](http://x.test) <script>&\n# head';
const outgoing: Outgoing = {
  id: '01234567-89ab-8def-8123-456789abcdef',
  title: `Oak is down ${hostile.split('\n')[0]}`,
  text: hostile,
  url: 'https://tenantry.test/incidents/1?a=b&c=d|e',
  severity: 'critical',
  at: new Date('2026-11-25T20:00:00.000Z'),
  tenants: [{ slug: 'oak', name: 'Oak <Valley>' }],
};
const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const destinationOf = (kind: Destination['kind']): Destination => {
  const url = `${receiver.url}/hook/t0ken-path`;
  if (kind === 'webhook') return { kind, config: { url, secret } };
  if (kind === 'ntfy') return { kind, config: { server: receiver.url, topic: 'ops', token: 'tk_abcdef' } };
  if (kind === 'email') throw new Error('not a web service');
  return { kind, config: { url } };
};
const send = (kind: Destination['kind'], signal = new AbortController().signal) =>
  senders.send(destinationOf(kind), outgoing, signal);
const sent = async (kind: Destination['kind']) => {
  expect(await send(kind)).toBe('200: ok');
  const [request] = receiver.received;
  return { ...request, json: JSON.parse(request?.body ?? '') };
};
const failure = async (kind: Destination['kind']): Promise<DeliveryError> => {
  const error = await send(kind).catch((reason: unknown) => reason);
  if (!(error instanceof DeliveryError)) throw new Error(`No DeliveryError: ${String(error)}`);
  return error;
};

describe('what each service gets', () => {
  test('Slack: plain text, and an escaped fallback', async () => {
    const { path, json } = await sent('slack');
    expect(path).toBe('/hook/t0ken-path');
    expect(json.text).toContain('&lt;!channel&gt;');
    expect(json.text).not.toContain('<!channel>');
    expect(json.blocks[0].text).toEqual({ type: 'plain_text', text: outgoing.title, emoji: false });
    expect(json.blocks.at(-1).text.text).toBe('<https://tenantry.test/incidents/1?a=b&amp;c=d%7Ce|Open in Tenantry>');
  });

  test('Discord: no mentions, Markdown escaped', async () => {
    const { path, json } = await sent('discord');
    expect(path).toBe('/hook/t0ken-path?wait=true');
    expect(json.allowed_mentions).toEqual({ parse: [] });
    expect(json.embeds[0].description).toContain('\\*bold\\* \\[link\\]\\(http://x.test\\)');
  });

  test('Mattermost: mentions broken, Markdown escaped', async () => {
    const { json } = await sent('mattermost');
    const text = JSON.stringify(json);
    expect(text).not.toMatch(/@(everyone|here|channel)/);
    expect(json.attachments[0]).toMatchObject({ color: '#7f1d1d', title_link: outgoing.url });
    expect(json.attachments[0].text).toContain('\\*bold\\*');
  });

  test('Teams: an Adaptive Card of text runs, which know no Markdown', async () => {
    const { json } = await sent('teams');
    const [{ contentType, content }] = json.attachments;
    expect([json.type, contentType, content.type]).toEqual([
      'message',
      'application/vnd.microsoft.card.adaptive',
      'AdaptiveCard',
    ]);
    expect(new Set(content.body.map(({ type }: { type: string }) => type))).toEqual(new Set(['RichTextBlock']));
    expect(content.actions[0].url).toBe(outgoing.url);
  });

  test('ntfy: topic, priority, token and the id that newer servers replace by', async () => {
    const { path, headers, json } = await sent('ntfy');
    expect([path, headers?.authorization]).toEqual(['/', 'Bearer tk_abcdef']);
    expect(json).toMatchObject({ topic: 'ops', priority: 5, click: outgoing.url, sequence_id: outgoing.id });
  });

  test('a webhook: signed as Standard Webhooks says, which its own library confirms', async () => {
    const { headers = {}, body = '' } = await sent('webhook');
    expect(headers['webhook-id']).toBe(outgoing.id);
    expect(new Webhook(secret).verify(body, headers as Record<string, string>)).toMatchObject({
      type: 'alert',
      timestamp: '2026-11-25T20:00:00.000Z',
      data: { title: outgoing.title, severity: 'critical', tenants: [{ slug: 'oak' }] },
    });
    expect(() => new Webhook(secret).verify(`${body} `, headers as Record<string, string>)).toThrow();
  });

  test('the vector of the specification', () => {
    expect(
      new Webhook(secret).sign('msg_p5jXN8AQM9LWM0D4loKWxJek', new Date(1_614_265_330_000), '{"test": 2432232314}'),
    ).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });
});

describe('failures', () => {
  test.each([
    [
      { status: 404, body: 'no_service' },
      { retry: false, maybeSent: false, message: 'The service answered 404: no_service' },
    ],
    [
      { status: 429, headers: { 'retry-after': '7' } },
      { retry: true, retryAfterMs: 7_000 },
    ],
    [
      { status: 503, headers: { 'retry-after': '0.5' } },
      { retry: true, retryAfterMs: 500, maybeSent: true },
    ],
    [{ status: 408 }, { retry: true, maybeSent: false }],
  ])('%j', async (answer, expected) => {
    receiver.answer(answer);
    expect(await failure('slack')).toMatchObject(expected);
  });

  test('a redirect is not followed', async () => {
    receiver.answer({ status: 307, headers: { location: `${receiver.url}/elsewhere` } });
    expect(await failure('slack')).toMatchObject({ retry: false });
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook/t0ken-path']);
  });

  test('no answer in time: it may have arrived', async () => {
    receiver.answer('hang');
    expect(await failure('slack')).toMatchObject({ retry: true, maybeSent: true });
  });

  test('an answer of which only the beginning comes counts by its status, and is read to a limit', async () => {
    receiver.answer((response) => void response.writeHead(200).write('x'.repeat(100_000)));
    expect(await send('slack')).toBe(`200: ${'x'.repeat(300)}`);
  });

  test('a connection that breaks: it may have arrived; one that is refused did not', async () => {
    receiver.answer((response) => void response.destroy());
    expect(await failure('slack')).toMatchObject({ retry: true, maybeSent: true });
    const gone = await startReceiver();
    await gone.stop();
    await expect(
      senders.send({ kind: 'slack', config: { url: `${gone.url}/s3cret` } }, outgoing, new AbortController().signal),
    ).rejects.toMatchObject({ retry: true, maybeSent: false, message: expect.not.stringContaining('s3cret') });
  });

  test('a private address is refused unless allowed, and nothing is connected to', async () => {
    const strict = createSenders({ allowPrivate: false });
    for (const url of [receiver.url, 'http://localhost/x', 'http://169.254.169.254/latest'])
      await expect(
        strict.send({ kind: 'slack', config: { url } }, outgoing, new AbortController().signal),
      ).rejects.toMatchObject({ retry: false, message: expect.stringContaining('blocked by rule') });
    expect(receiver.received).toEqual([]);
  });

  test('Retry-After is seconds or a date', () => {
    const now = Date.parse('2026-11-25T20:00:00Z');
    expect(retryAfterMs('120', now)).toBe(120_000);
    expect(retryAfterMs('Wed, 25 Nov 2026 20:00:30 GMT', now)).toBe(30_000);
    expect(retryAfterMs('Wed, 25 Nov 2026 19:00:00 GMT', now)).toBe(0);
    expect(retryAfterMs('86400', now)).toBe(86_400_000);
  });

  test.each(['', 'soon', '99999999999999', '86401', '1e400', 'Infinity', 'NaN', 'Thu, 01 Jan 9999 00:00:00 GMT'])(
    'Retry-After of %j is none',
    (header) => expect(retryAfterMs(header, Date.parse('2026-11-25T20:00:00Z'))).toBeUndefined(),
  );
});
