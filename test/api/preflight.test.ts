import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type App, startApp } from '../harness/app/app.ts';
import { eachStoreApp } from '../harness/app/each-store-app.ts';
import { startProxiedApp } from '../harness/app/proxied-app.ts';
import { causesOf, type PreflightAnswer, preflightOf, resultsOf } from '../harness/data/preflight.ts';
import { mountSmallDisk } from '../harness/data/small-disk.ts';
import { streamMessage } from '../harness/data/stream-message.ts';
import { describeWithNginx } from '../harness/proxy/nginx.ts';
import { claimPort80 } from '../harness/proxy/port-80.ts';
import { describeMariaDb } from '../harness/servers/mariadb.ts';
import { type MariaDb, startMariaDb } from '../harness/servers/mariadb-server.ts';
import { S3Server } from '../harness/servers/s3.ts';
import { startMailServer } from '../harness/servers/smtp.ts';

const path = '/api/system/preflight';

/** A server that is asked in place of a public one. */
interface Outside {
  url: string;
  answer(response: ServerResponse): void;
  close(): Promise<void>;
}

async function startOutside(): Promise<Outside> {
  const server: Server = createServer((_request, response) => outside.answer(response));
  await listen(server, 0);
  const outside: Outside = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    answer: (response) => void response.end(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return outside;
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));

const outside = await startOutside();
afterAll(() => outside.close());

/** Runs work with a manager of its own. */
async function withApp<T>(environment: Record<string, string>, work: (app: App) => Promise<T>): Promise<T> {
  const app = await startApp({ environment, outsideUrl: outside.url });
  try {
    return await work(app);
  } finally {
    await app.stop();
  }
}

const change = async (app: App, settings: Record<string, string>): Promise<void> => {
  for (const [key, value] of Object.entries(settings))
    expect(await app.call('PUT', `/api/settings/${key}`, { body: { value } })).toMatchObject({ status: 200 });
};

eachStoreApp(
  'a check of this host',
  (app) => {
    test('checks what this installation uses, shows each change on its stream, and is a step of the setup', async () => {
      const { token } = await app().userOf('operator');
      const isChecked = async () =>
        JSON.stringify((await app().call('GET', '/api/setup-checklist')).body).includes(
          '{"key":"host_checked","done":true}',
        );
      expect((await app().call('GET', path)).body).toEqual({ preflight: null });
      expect(await isChecked()).toBe(false);

      const { status, body } = await app().call<PreflightAnswer>('POST', path, { token });
      expect([status, body.status]).toEqual([202, expect.stringMatching(/queued|running/)]);
      const messages = await messagesOf(app(), `/ws/preflight/${body.preflight_id}`);
      expect(messages.at(-1)).toMatchObject({ type: 'complete', status: 'success', error: null });
      expect(messages.some(({ type, checks }) => type === 'progress' && checks?.[0]?.status === 'running')).toBe(true);
      const { preflight } = (await app().call<{ preflight: PreflightAnswer }>('GET', path)).body;
      expect(preflight.checks.map(({ check, status }) => `${check}: ${status}`)).toEqual(
        ['runtime', 'host_names', 'host_https', 'clock', 'data_disk'].map((check) => `${check}: good`),
      );
      expect(await isChecked()).toBe(true);
    });

    test('is for operators; one that is running is answered again; other streams are not found', async () => {
      const { token } = await app().userOf('viewer');
      for (const method of ['POST', 'GET'])
        expect(await app().call(method, path, { token })).toMatchObject({ status: 403 });
      expect(await app().call('POST', path, { body: { base_image: '-v /:/host' } })).toMatchObject({
        status: 400,
        body: { issues: [{ path: 'base_image' }] },
      });
      const held = Promise.withResolvers<void>();
      outside.answer = (response) => void held.promise.then(() => response.end());
      const answers = [];
      for (let count = 0; count < 3; count += 1) answers.push(await app().call<PreflightAnswer>('POST', path));
      expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
      expect(new Set(answers.map(({ body }) => body.preflight_id)).size).toBe(1);
      held.resolve();
      outside.answer = (response) => void response.end();
      await messagesOf(app(), `/ws/preflight/${answers[0]?.body.preflight_id}`);
      await expect(messagesOf(app(), '/ws/preflight/..%2Ftenantry')).rejects.toThrow();
    });

    test('parallel requests of several users are all answered, none by a viewer', async () => {
      const users = [await app().userOf('operator'), await app().userOf('operator'), await app().userOf('viewer')];
      const asked = await Promise.all(
        Array.from({ length: 60 }, async (_, index) => {
          const user = users[index % users.length];
          const { status } = await app().call('POST', '/api/system/preflight', {
            body: {},
            token: user?.token ?? null,
          });
          return [index % users.length, status];
        }),
      );
      expect(asked).toEqual(asked.map(([user]) => [user, user === 2 ? 403 : 202]));
      // The next test must not join this check.
      await preflightOf(app());
    });

    test('clock off by an hour', async () => {
      outside.answer = (response) => {
        response.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString());
        response.end();
      };
      const found = await preflightOf(app());
      const host = new URL(outside.url).host;
      expect(causesOf(found)).toEqual([
        { check: 'clock', code: 'clock_wrong', params: { host, difference: '1 h' }, remedy: 'set_clock' },
      ]);
      outside.answer = (response) => {
        response.sendDate = false;
        response.end();
      };
      expect(resultsOf(await preflightOf(app())).clock).toMatchObject({
        status: 'not_checked',
        reason: 'no_other_clock',
      });
      outside.answer = (response) => void response.end();
    });
  },
  { outsideUrl: outside.url },
);

test('a name that the host cannot resolve; a host that it cannot reach', async () => {
  for (const [outsideUrl, check, code] of [
    ['https://registry.invalid/', 'host_names', 'host_name_unresolved'],
    ['https://127.0.0.1:9/', 'host_https', 'host_https_failed'],
  ] as const) {
    const app = await startApp({ outsideUrl });
    try {
      const found = await preflightOf(app);
      expect(causesOf(found)).toMatchObject([{ check, code, params: { host: new URL(outsideUrl).host } }]);
      expect(resultsOf(found).clock).toMatchObject({ status: 'not_checked' });
    } finally {
      await app.stop();
    }
  }
});

test('full disk of the data', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-preflight-disk-'));
  const unmount = await mountSmallDisk(directory, 64 * 1_024);
  if (!unmount) return;
  try {
    await withApp({ DATA_DIR: join(directory, 'data') }, async (app) => {
      expect(causesOf(await preflightOf(app))).toMatchObject([
        { check: 'data_disk', code: 'disk_full', params: { needed: '512 MiB' }, remedy: 'free_disk' },
      ]);
    });
  } finally {
    await unmount();
    await rm(directory, { recursive: true, force: true });
  }
});

describeMariaDb('the tenants’ database server', () => {
  let server: MariaDb;
  beforeAll(async () => {
    server = await startMariaDb();
  });
  afterAll(() => server.stop());
  const checked = (url: string) => withApp({ TENANT_DATABASE_URL: url }, (app) => preflightOf(app));

  test('is used as a deployment does; its password wrong', async () => {
    const { host } = new URL(server.adminUrl);
    expect(resultsOf(await checked(server.adminUrl)).tenant_database).toMatchObject({ status: 'good', detail: host });
    const found = await checked(server.adminUrl.replace('admin:admin@', 'admin:wrong-secret@'));
    expect(causesOf(found)).toEqual([
      {
        check: 'tenant_database',
        code: 'database_refused',
        params: { server: host },
        remedy: 'correct_database_account',
      },
    ]);
    expect(JSON.stringify(found)).not.toContain('wrong-secret');
  });
});

test('a bucket without rights, with a wrong key, missing and right', async () => {
  const s3 = await S3Server.start();
  const refusing = createServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/xml' });
    response.end('<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>');
  });
  await listen(refusing, 0);
  try {
    await withApp({}, async (app) => {
      await change(app, {
        backup_s3_bucket: s3.bucket,
        backup_s3_endpoint: s3.endpoint,
        backup_s3_access_key: s3.accessKey,
        backup_s3_secret_key: s3.secretKey,
      });
      expect(resultsOf(await preflightOf(app)).bucket).toMatchObject({ status: 'good', detail: s3.bucket });
      expect(await s3.keys()).toEqual([]);
      const cause = async (settings: Record<string, string>) => {
        await change(app, settings);
        return causesOf(await preflightOf(app));
      };
      const wrong = (code: string) => [{ check: 'bucket', code, remedy: 'correct_bucket_settings' }];
      expect(await cause({ backup_s3_secret_key: 'wrong-secret' })).toMatchObject(wrong('bucket_refused'));
      const { port } = refusing.address() as AddressInfo;
      expect(
        await cause({ backup_s3_endpoint: `http://127.0.0.1:${port}`, backup_s3_secret_key: s3.secretKey }),
      ).toMatchObject(wrong('bucket_refused'));
      expect(await cause({ backup_s3_endpoint: s3.endpoint, backup_s3_bucket: 'another' })).toMatchObject(
        wrong('bucket_missing'),
      );
    });
  } finally {
    await s3.destroy();
    refusing.closeAllConnections();
    refusing.close();
  }
});

test('a mail server is signed in at, and gets no message', async () => {
  const mail = await startMailServer({ security: 'none' });
  const closed = await startMailServer({ security: 'none' });
  await closed.stop();
  try {
    await withApp({ ALLOW_PRIVATE_NOTIFICATIONS: 'true' }, async (app) => {
      const add = (name: string, port: number) => {
        const config = { host: '127.0.0.1', port, security: 'none', from: 'tenantry@example.org' };
        return app.call('POST', '/api/notifications/channels', { body: { kind: 'email', name, config } });
      };
      expect(await add('Mail', mail.port)).toMatchObject({ status: 201 });
      expect(resultsOf(await preflightOf(app)).mail).toMatchObject({ status: 'good', detail: 'Mail' });
      await add('Other mail', closed.port);
      expect(causesOf(await preflightOf(app))).toEqual([
        { check: 'mail', code: 'mail_failed', params: { channel: 'Other mail' }, remedy: 'correct_mail_channel' },
      ]);
    });
    expect(mail.received).toEqual([]);
  } finally {
    await mail.stop();
  }
});

describeWithNginx('the reverse proxy', () => {
  test('of our own has port 80; another program there is named', async () => {
    const port80 = await claimPort80();
    try {
      const { app, nginx, destroy } = await startProxiedApp({ PROXY_HTTP_PORT: '80' }, { outsideUrl: outside.url });
      try {
        expect(resultsOf(await preflightOf(app)).proxy).toMatchObject({ status: 'good' });
        await nginx.stop();
        const other = createServer((_request, response) => response.end());
        await listen(other, 80);
        const found = await preflightOf(app);
        other.closeAllConnections();
        await new Promise((resolve) => other.close(resolve));
        expect(causesOf(found)).toMatchObject([
          {
            check: 'proxy',
            code: 'proxy_port_taken',
            params: { port: '80', holder: expect.stringMatching(new RegExp(`^process .*\\(pid ${process.pid}\\)$`)) },
            remedy: 'free_port',
          },
        ]);
        expect(causesOf(await preflightOf(app))).toMatchObject([{ check: 'proxy', code: 'proxy_unavailable' }]);
      } finally {
        await destroy();
      }
    } finally {
      await port80.release();
    }
  });
});

interface Message {
  type: string;
  status?: string;
  error?: string | null;
  checks?: PreflightAnswer['checks'];
}

/** All messages of a stream, until its end. */
function messagesOf(app: App, at: string): Promise<Message[]> {
  const socket = new WebSocket(app.url.replace('http', 'ws') + at, ['bearer', app.token]);
  const messages: Message[] = [];
  socket.on('message', (data) => messages.push(streamMessage<Message>(at, String(data))));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => resolve(messages));
  });
}
