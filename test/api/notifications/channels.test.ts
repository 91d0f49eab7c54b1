import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLogger } from '../../../src/lib/logger.ts';
import { type App, sharedApp } from '../../harness/app/app.ts';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';
import { until } from '../../harness/data/tenants.ts';
import { type Receiver, startReceiver } from '../../harness/servers/receiver.ts';
import { type MailServer, startMailServer } from '../../harness/servers/smtp.ts';

const path = '/api/notifications/channels';
const hidden = '***hidden***';
const secrets = {
  path: 'T0KENPATH99',
  signing: `whsec_${Buffer.alloc(32, 9).toString('base64')}`,
  password: 'velvet anchor 42',
  token: 'tk_s3cr3tntfy',
};
interface ChannelAnswer {
  id: string;
  kind: string;
  target: string;
  config: Record<string, unknown>;
  last_delivery: { state: string } | null;
}
let logged = '';
const destination = new Writable({
  write(chunk, _encoding, done) {
    logged += chunk;
    done();
  },
});
const logger = createLogger({ level: 'trace', destination });

eachStoreApp(
  'channels',
  (app) => {
    let receiver: Receiver;
    let mail: MailServer;
    beforeAll(async () => {
      receiver = await startReceiver();
      mail = await startMailServer({ security: 'none' });
    });
    afterAll(() => Promise.all([receiver.stop(), mail.stop()]));

    const create = async (kind: string, config: object) => {
      const made = await app().call<ChannelAnswer>('POST', path, { body: { kind, name: `My ${kind}`, config } });
      expect(made).toMatchObject({ status: 201 });
      return made.body;
    };
    const email = () => ({
      host: '127.0.0.1',
      port: mail.port,
      security: 'none',
      from: 'tenantry@example.org',
      recipients: ['ops@example.org'],
    });
    const hook = () => ({ url: `${receiver.url}/hooks/${secrets.path}` });
    const entries = async () => JSON.stringify((await app().call('GET', '/api/logs?limit=500')).body);

    test('of each kind are created and tested; no secret shows in answers, the log and the audit log', async () => {
      const configs: [string, object][] = [
        ['email', email()],
        ['slack', hook()],
        ['discord', hook()],
        ['teams', hook()],
        ['mattermost', hook()],
        ['ntfy', { server: receiver.url, topic: 'ops', token: secrets.token }],
        ['webhook', { ...hook(), secret: secrets.signing }],
      ];
      const answers: unknown[] = [];
      for (const [kind, config] of configs) {
        const channel = await create(kind, config);
        // A service that repeats what it was sent.
        const echo = { ntfy: secrets.token, webhook: secrets.signing }[kind] ?? '';
        if (kind !== 'email') receiver.answer((response) => void response.end(`got ${response.req.url} ${echo}`));
        const tested = await app().call('POST', `${path}/${channel.id}/test`);
        expect(tested.body).toMatchObject({ delivered: true, reply: expect.stringMatching(/^2[05]0/) });
        answers.push(channel, tested.body);
      }
      expect(mail.received.at(-1)?.to).toEqual(['ops@example.org']);
      answers.push((await app().call('GET', path)).body, await entries(), logged);
      const text = JSON.stringify(answers);
      expect(Object.values(secrets).filter((secret) => text.includes(secret))).toEqual([]);
      expect(text).toContain('"target":"127.0.0.1:');
      expect(text).toContain('Notification channel My slack created by admin');
    });

    test('a secret sent back hidden is kept, and one of another server is asked for again', async () => {
      const made = await create('webhook', { ...hook(), secret: secrets.signing });
      const change = (config: object, id = made.id, kind = 'webhook') =>
        app().call<ChannelAnswer>('PUT', `${path}/${id}`, { body: { kind, name: 'Renamed', config } });
      expect((await change({ url: hidden, secret: hidden })).body).toMatchObject({
        name: 'Renamed',
        config: { url: hidden, secret: hidden },
      });
      const seen = receiver.received.length;
      expect((await app().call('POST', `${path}/${made.id}/test`)).body).toMatchObject({ delivered: true });
      expect(receiver.received[seen]?.path).toContain(secrets.path);

      const ntfy = await create('ntfy', { server: receiver.url, topic: 'ops', token: secrets.token });
      expect(
        await change({ server: 'http://127.0.0.1:9', topic: 'ops', token: hidden }, ntfy.id, 'ntfy'),
      ).toMatchObject({ status: 400, body: { issues: [{ path: 'config.token' }] } });
      const bound = { ...email(), security: 'starttls', username: 'ops', password: secrets.password };
      const signed = await create('email', bound);
      expect((await change({ ...bound, password: hidden }, signed.id, 'email')).status).toBe(200);
      for (const other of [{ port: mail.port + 1 }, { security: 'tls' }, { host: 'localhost' }, { username: 'eve' }])
        expect(await change({ ...bound, password: hidden, ...other }, signed.id, 'email')).toMatchObject({
          status: 400,
          body: { issues: [{ path: 'config.password' }] },
        });
      const none = await create('email', email());
      expect(await change({ ...email(), password: hidden }, none.id, 'email')).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'config.password' }] },
      });
    });

    test('what a service repeats is hidden in each spelling, without control characters', async () => {
      const secret = 'a+b/S3CR3T=99 x';
      const { id } = await create('slack', { url: `${receiver.url}/hooks/${encodeURIComponent(secret)}` });
      const repeated = [
        secret,
        encodeURIComponent(secret),
        encodeURIComponent(`/hooks/${encodeURIComponent(secret)}`),
        Buffer.from(secret).toString('base64'),
        Buffer.from(`at /hooks/${encodeURIComponent(secret)}`).toString('base64url'),
      ];
      for (const text of repeated) {
        receiver.answer((response) => void response.end(`nul\0 bell\u0007 ${text} end`));
        const { body } = await app().call<{ reply: string }>('POST', `${path}/${id}/test`);
        expect(body.reply).toContain(hidden);
        expect(body.reply).toContain('nul bell');
        expect(body.reply).not.toContain(text);
      }
    });

    test('wrong configurations are rejected with the field', async () => {
      const wrong: [string, object, string][] = [
        ['slack', { url: 'nonsense' }, 'config.url'],
        ['slack', { url: 'https://user:pass@hooks.test/x' }, 'config.url'],
        ['slack', { url: hidden }, 'config.url'],
        ['webhook', { ...hook(), secret: 'whsec_c2hvcnQ=' }, 'config.secret'],
        ['ntfy', { server: receiver.url, topic: 'a/b' }, 'config.topic'],
        ['email', { ...email(), username: 'u', password: 'p' }, 'config.security'],
        ['email', { ...email(), from: 'a@b.org\r\nBcc: c@d.org' }, 'config.from'],
      ];
      for (const [kind, config, field] of wrong)
        expect(await app().call('POST', path, { body: { kind, name: 'x', config } })).toMatchObject({
          status: 400,
          body: { issues: [{ path: field }] },
        });
    });

    test('only administrators manage them', async () => {
      for (const role of ['viewer', 'operator'] as const) {
        const { token } = await app().userOf(role);
        for (const route of [path, '/api/notifications/deliveries'])
          expect((await app().call('GET', route, { token })).status).toBe(403);
      }
    });

    test('what is enqueued is sent soon, and a failed delivery is sent again from the log', async () => {
      const { id } = await create('slack', hook());
      receiver.answer({ status: 410, body: `gone ${secrets.path}` });
      const at = new Date();
      await app().manager.app.notifications.outbox.enqueue([
        {
          key: `incident/${id}`,
          channelId: id,
          message: { title: 'Oak is down', text: '', url: 'https://t.test/', severity: 'error', at, tenants: [] },
          notBefore: at,
        },
      ]);
      const first = async () => {
        const { body } = await app().call<{ deliveries: { id: string; state: string; outcome: string }[] }>(
          'GET',
          `/api/notifications/deliveries?channel_id=${id}`,
        );
        return body.deliveries[0];
      };
      const failed = await until(first, (delivery) => delivery?.state === 'failed');
      expect(failed?.outcome).toBe(`The service answered 410: gone ${hidden}`);
      const retry = `/api/notifications/deliveries/${failed?.id}/retry`;
      expect((await app().call('POST', retry)).status).toBe(200);
      await until(first, (delivery) => delivery?.state === 'delivered');
      expect(await app().call('POST', retry)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
      expect((await app().call<ChannelAnswer>('GET', `${path}/${id}`)).body.last_delivery?.state).toBe('delivered');
      expect((await app().call('DELETE', `${path}/${id}`)).status).toBe(200);
      expect(await first()).toBeUndefined();
    });
  },
  { environment: { ALLOW_PRIVATE_NOTIFICATIONS: 'true' }, logger },
);

describe('without ALLOW_PRIVATE_NOTIFICATIONS', () => {
  let app: App;
  beforeAll(async () => {
    app = await sharedApp();
  });

  test.each([
    ['slack', { url: 'https://127.0.0.1/x' }, 'config.url'],
    ['slack', { url: 'https://10.0.0.5/x' }, 'config.url'],
    ['slack', { url: 'http://hooks.example.org/x' }, 'config.url'],
    ['slack', { url: 'https://hooks.example.org:8443/x' }, 'config.url'],
    ['ntfy', { server: 'https://localhost', topic: 'ops' }, 'config.server'],
    ['email', { host: '192.168.0.1', port: 587, security: 'tls', from: 'a@b.org' }, 'config.host'],
    ['email', { host: 'mail.example.org', port: 22, security: 'tls', from: 'a@b.org' }, 'config.host'],
    ['email', { host: 'mail.example.org', port: 25, security: 'none', from: 'a@b.org' }, 'config.security'],
  ])('%s to %j is refused', async (kind, config, field) => {
    expect(await app.call('POST', path, { body: { kind, name: 'x', config } })).toMatchObject({
      status: 400,
      body: { issues: [{ path: field }] },
    });
  });
});
