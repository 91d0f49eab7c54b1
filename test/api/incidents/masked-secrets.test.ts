import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { readEvents, type StreamEvent } from '../../harness/servers/event-stream.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { type Receiver, startReceiver } from '../../harness/servers/receiver.ts';
import { type MailServer, startMailServer } from '../../harness/servers/smtp.ts';
import { checkApart, type IncidentListAnswer } from './incident-answers.ts';

/** What programs print when they fail; `said` is everything secret that this one knows. */
const said = `
const said = ['STRIPE_KEY', 'PARTNER', 'PIN_TOKEN', 'QUEUE', 'SECRET_KEY', 'API_KEYS'].map((name) => name + '=' + process.env[name]).join(' ')
  + ' Basic ' + Buffer.from('shop:' + process.env.STRIPE_KEY).toString('base64') + ' q=' + encodeURIComponent(process.env.PARTNER)
  + ' ' + JSON.stringify({ partner: process.env.PARTNER }) + ' level ' + process.env.LOG_LEVEL + ' on ' + process.env.REGION;
`;
const server = `
const fs = require('node:fs');
const http = require('node:http');
${said}
if (process.argv[2] === 'api') console.log('starts with ' + said);
http.createServer((request, response) => {
  if (request.url === '/crash') throw new Error('StripeAuthenticationError: Invalid API Key provided: ' + said);
  const status = fs.existsSync(process.env.IMPORT_DIR + '/unwell') ? 'no queue ' + process.env.QUEUE : 'healthy';
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status }));
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;
const migrate = `
${said}
new (require('node:sqlite').DatabaseSync)(process.env.DATABASE_URL.replace('sqlite:', '')).exec('CREATE TABLE IF NOT EXISTS persons (id INTEGER)');
console.log('migrating with ' + said);
if (process.env.APP_VERSION === 'v3.0.0') {
  console.error('\\u001b[31mStripeAuthenticationError: Invalid \\u202eAPI\\u2066 Key\\u0007 provided: ' + said);
  process.exit(3);
}
`;

const environment = {
  STRIPE_KEY: 'sk_live_51Hq9ZxkPlanted',
  /** Its name says nothing. */
  PARTNER: 'q7/W+x "9" ümlaut&Z3kk',
  PIN_TOKEN: '884213',
  QUEUE: 'amqp://shop:Dj3kd93kdP@queue.example.org/shop',
  LOG_LEVEL: 'info',
  REGION: 'eu-central-1-frankfurt',
};
const planted = [
  environment.STRIPE_KEY,
  environment.PARTNER,
  JSON.stringify(environment.PARTNER).slice(1, -1),
  encodeURIComponent(environment.PARTNER),
  environment.PIN_TOKEN,
  'Dj3kd93kdP',
  // In `shop:` and the key.
  Buffer.from(`shop:${environment.STRIPE_KEY}`).toString('base64').slice(8, -4),
];

eachDatabase('a tenant’s secrets that its programs print', (newDatabase) => {
  let app: App;
  let databaseUrl: string;
  let receiver: Receiver;
  let mail: MailServer;
  let tenant: TenantAnswer;
  let viewer: string;
  /** Also those that the manager made. */
  let secrets: string[];

  beforeAll(async () => {
    databaseUrl = await newDatabase();
    app = await startApp({
      environment: { DATABASE_URL: databaseUrl, ALLOW_PRIVATE_NOTIFICATIONS: 'true' },
      healthTimeoutMs: 20_000,
    });
    [receiver, mail] = await Promise.all([startReceiver(), startMailServer({ security: 'none' })]);
    const repository = await makeFixtureRepository(join(app.directory, 'repository'));
    await repository.release('v2.0.0', { 'server.js': server, 'migrate.js': migrate });
    await repository.release('v3.0.0', { 'NEWS.md': 'A migration that fails\n' });
    tenant = await makeTenant(app, repository.path, { name: 'Leaky' });
    await setEnvironment(app, tenant.id, environment);
    const made = await app.manager.app.tenants.get(tenant.id);
    const config = { host: '127.0.0.1', port: mail.port, security: 'none', from: 'tenantry@example.org' };
    for (const body of [
      { kind: 'slack', name: 'Chat', config: { url: `${receiver.url}/hook/of/ours` } },
      { kind: 'email', name: 'Mail', config: { ...config, recipients: ['ops@example.org'] } },
    ])
      expect((await app.call('POST', '/api/notifications/channels', { body })).status).toBe(201);
    const channels = await app.call<{ channels: { id: string }[] }>('GET', '/api/notifications/channels');
    const channel_ids = channels.body.channels.map(({ id }) => id);
    const rule = { severity: 'info', channel_ids };
    expect(await app.call('POST', '/api/notifications/rules', { body: rule })).toMatchObject({ status: 201 });
    viewer = (await app.userOf('viewer')).token;
    await app.call('PUT', '/api/notifications/preferences', { token: viewer, body: { severity: 'info' } });
    expect(await deploy(app, tenant.id, { target_version: 'v2.0.0' })).toMatchObject({ status: 'success' });
    const written = await readFile(join(made.directory, '.env'), 'utf8');
    const own = ['API_KEYS', 'SECRET_KEY'].map((name) => written.split(`${name}=`)[1]?.split('\n')[0] ?? '');
    expect(own.map(({ length }) => length > 20)).toEqual([true, true]);
    secrets = [...planted, ...own];
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
    await Promise.all([receiver?.stop(), mail?.stop()]);
  });

  const found = (text: string): string[] => secrets.filter((secret) => text.includes(secret));
  /** What a call answers, which must hold the text that the secrets were masked in. */
  const answer = async (path: string, token: string = app.token) => {
    const { status, body } = await app.call('GET', path, { token });
    expect({ path, status }).toEqual({ path, status: 200 });
    const text = JSON.stringify(body);
    expect({ path, found: found(text) }).toEqual({ path, found: [] });
    return text;
  };
  const masked = 'STRIPE_KEY=••••';

  test('are in no cause of a failed migration, its log, alerts, inboxes, timelines, and the audit log', async () => {
    const failed = await deploy(app, tenant.id, { target_version: 'v3.0.0' });
    expect(failed).toMatchObject({ status: 'failed', error: { step: 'Initialize database' } });
    expect(failed.error?.message).toContain('StripeAuthenticationError');
    expect(failed.logs).toContain(`${masked} PARTNER=•••• PIN_TOKEN=•••• QUEUE=••••`);
    expect(failed.logs).toContain('level info on eu-central-1-frankfurt');
    expect(found(JSON.stringify(failed))).toEqual([]);

    await until(
      async () => receiver.received.some(({ body }) => body.includes('Stripe')) && mail.received.length > 0,
      Boolean,
    );
    expect(found(JSON.stringify([receiver.received, mail.received]))).toEqual([]);
    for (const { body } of receiver.received)
      expect(JSON.stringify(JSON.parse(body))).not.toMatch(/\\u001b|\\u0007|[\u202e\u2066]/);
    expect(mail.received.map(({ text }) => text).join()).not.toMatch(/[\u202e\u2066]/);
    for (const token of [app.token, viewer]) {
      expect(await answer('/api/inbox?limit=500', token)).toContain('StripeAuthenticationError: Invalid API Key');
      for (const path of ['/api/timeline', '/api/attention', `/api/tenants/${tenant.id}/deployments`])
        await answer(path, token);
      expect(await answer(`/api/deployments/${failed.id}`, token)).toContain(masked);
      await answer(`/api/deployments/${failed.id}/logs`, token);
    }
    await answer('/api/logs?limit=500');
  });

  test('are in no live log, kept log and search', async () => {
    const path = `/api/tenants/${tenant.id}/logs`;
    expect(await answer(`${path}?lines=500`, viewer)).toContain(`starts with ${masked}`);
    expect(await answer(`${path}/search?text=starts`, viewer)).toContain(masked);
    expect(JSON.parse(await answer(`${path}/search?text=${environment.STRIPE_KEY}`))).toMatchObject({ hits: [] });
    const ended = new AbortController();
    const events: StreamEvent[] = [];
    const follow = `${app.url}${path}?follow=true&service=backend`;
    for await (const event of readEvents(follow, app.token, ended.signal)) {
      events.push(event);
      if (event.type === 'log') break;
    }
    ended.abort();
    expect(JSON.stringify(events)).toContain(masked);
    expect(found(JSON.stringify(events))).toEqual([]);
  });

  test('are in no diagnosis, incident and export of a crash, and in no answer of an unwell application', async () => {
    const restart = () => fetch(`http://127.0.0.1:${tenant.backend_port}/crash`).catch(() => undefined);
    await restart();
    await until(
      () => answer(`/api/tenants/${tenant.id}/logs?lines=500`),
      (text) => text.includes('throw new Error'),
    );
    await app.call('POST', `/api/tenants/${tenant.id}/stop`);
    expect((await app.call('POST', `/api/tenants/${tenant.id}/start`)).status).toBeLessThan(300);
    const space = await app.manager.app.tenants.get(tenant.id);
    const imports = app.manager.app.runtime.paths(space).importDirectory;
    await app.manager.app.runtime.putImportFile(space, 'unwell', (async function* () {})());
    expect(await readdir(imports)).toContain('unwell');
    await checkApart(() => app.call('POST', `/api/tenants/${tenant.id}/health-check`));
    await answer(`/api/tenants/${tenant.id}`, viewer);
    const { incidents } = await until(
      async () => (await app.call<IncidentListAnswer>('GET', '/api/incidents')).body,
      ({ total }) => total > 0,
    );
    for (const token of [app.token, viewer]) {
      expect(await answer(`/api/tenants/${tenant.id}/diagnosis`, token)).toContain('no queue ••••');
      await answer(`/api/incidents/${incidents[0]?.id}`, token);
    }
    expect(await answer(`/api/incidents/${incidents[0]?.id}/export`)).toContain('••••');
  });

  test('are masked with their former value, too, while a program still has it', async () => {
    const former = environment.STRIPE_KEY;
    await setEnvironment(app, tenant.id, { ...environment, STRIPE_KEY: 'sk_live_another9Value' });
    expect(found(await answer(`/api/tenants/${tenant.id}/logs?lines=500`))).not.toContain(former);
  });

  test('are nowhere in clear in what the manager stores', async () => {
    const stored = databaseUrl.startsWith('sqlite:')
      ? await contentOf(join(databaseUrl.slice('sqlite:'.length), '..'))
      : await rowsOf(databaseUrl);
    expect(stored).toContain('StripeAuthenticationError');
    expect(found(stored)).toEqual([]);
    const logs = await contentOf(join(app.directory, 'data', 'logs'));
    const streams = await contentOf(join(app.directory, 'data', 'deployments')).catch(() => '');
    expect(found(logs + streams)).toEqual([]);
  });
});

async function contentOf(directory: string): Promise<string> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const contents = await Promise.all(files.map(({ parentPath, name }) => readFile(join(parentPath, name), 'utf8')));
  return contents.join('\n');
}

/** All rows of all tables. */
async function rowsOf(url: string): Promise<string> {
  const connection = await createConnection(url);
  try {
    const [tables] = await connection.query({ sql: 'SHOW TABLES', rowsAsArray: true });
    const texts: string[] = [];
    for (const [table] of tables as [string][])
      texts.push(JSON.stringify((await connection.query('SELECT * FROM ??', [table]))[0]));
    return texts.join('\n');
  } finally {
    await connection.end();
  }
}
