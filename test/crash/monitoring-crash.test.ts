import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEventBus } from '../../src/adapters/events/bus.ts';
import { createSenders } from '../../src/adapters/notifications/senders.ts';
import { openManagerStore } from '../../src/app/lifecycle/manager-store.ts';
import { createNotifications } from '../../src/features/notifications/notifications.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createSecretBox } from '../../src/lib/secret-box.ts';
import {
  alertKeys,
  checkApart,
  type IncidentAnswer,
  type IncidentListAnswer,
  kindsOf,
} from '../api/incidents/incident-answers.ts';
import { type ManagerProcess, makeManagerProcess } from '../harness/app/manager-process.ts';
import { makeFixtureRepository } from '../harness/data/fixture-repository.ts';
import { type DeploymentAnswer, type TenantAnswer, until } from '../harness/data/tenants.ts';
import { type Receiver, startReceiver } from '../harness/servers/receiver.ts';
import { type MailServer, mailAccount, startMailServer } from '../harness/servers/smtp.ts';

/** It measures itself while the other tests run: its own takes a minute and a half. */
let measuring: ManagerProcess;
beforeAll(async () => {
  measuring = await makeManagerProcess();
  await measuring.start();
});
afterAll(async () => {
  await measuring?.stop();
  await measuring?.remove();
});

describe('incidents', () => {
  let directory: string;
  let manager: ManagerProcess;
  let tenant: TenantAnswer;
  let failing: string;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-incident-crash-'));
    const { path: git_repo } = await makeFixtureRepository(join(directory, 'repository'));
    manager = await makeManagerProcess({ RUNTIME: 'process' });
    await manager.start();
    const made = await manager.call<TenantAnswer>('POST', '/api/tenants', {
      body: { name: 'one', slug: 'one', domain: 'one.example.org', api_domain: 'api.one.example.org', git_repo },
    });
    tenant = made.body;
    const asked = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`);
    await until(
      () => manager.call<DeploymentAnswer>('GET', `/api/deployments/${asked.body.deployment_id}`),
      ({ body }) => body.status === 'success',
    );
    const environment = await (await fetch(`http://127.0.0.1:${tenant.backend_port}/env`)).json();
    failing = join((environment as { IMPORT_DIR: string }).IMPORT_DIR, 'failing');
  });
  afterAll(async () => {
    await manager?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await manager?.stop();
    await manager?.remove();
    await rm(directory, { recursive: true, force: true });
  });

  const check = () => manager.call('POST', `/api/tenants/${tenant.id}/health-check`);
  const list = async () => (await manager.call<IncidentListAnswer>('GET', '/api/incidents')).body.incidents;
  const get = async (id: string) => (await manager.call<IncidentAnswer>('GET', `/api/incidents/${id}`)).body;

  async function killAndStart(): Promise<void> {
    await manager.kill();
    await manager.start();
  }

  test('a killed manager continues an incident: one of it, announced once, and resolved', async () => {
    await writeFile(failing, '');
    await checkApart(check);
    const [incident] = await until(list, ({ length }) => length === 1);
    const id = incident?.id ?? '';
    // Before it is announced, or in the middle of that.
    await killAndStart();
    await check();
    await check();
    await until(
      () => alertKeys(manager, id),
      (keys) => keys.length > 0,
    );
    await killAndStart();
    await check();
    await check();
    expect((await list()).map((one) => [one.id, one.status])).toEqual([[id, 'open']]);
    await rm(failing);
    await check();
    // The good check is counted again by the next manager.
    await killAndStart();
    await check();
    await check();
    await until(
      () => get(id),
      ({ status }) => status === 'resolved',
    );
    await killAndStart();
    await until(
      () => alertKeys(manager, id),
      (keys) => keys.includes('resolved'),
    );
    expect((await alertKeys(manager, id)).sort()).toEqual(['opened', 'resolved']);
    expect(kindsOf(await get(id)).filter((kind) => kind !== 'notified')).toEqual(['opened', 'recovered', 'resolved']);
    expect(await list()).toHaveLength(1);
  });

  test('a tenant that broke and one check before the kill still open an incident', async () => {
    await writeFile(failing, '');
    await check();
    await killAndStart();
    await checkApart(check);
    const open = await until(
      async () => (await list()).filter(({ status }) => status === 'open'),
      ({ length }) => length === 1,
    );
    await rm(failing);
    await check();
    await check();
    await until(
      () => get(open[0]?.id ?? ''),
      ({ status }) => status === 'resolved',
    );
  });
});

describe('notifications', () => {
  const secretKey = 'a key of the crash test, long enough';
  let directory: string;
  let manager: ManagerProcess;
  let receiver: Receiver;
  let mail: MailServer;
  const heldMails: string[] = [];
  const ids: Record<string, string> = {};

  beforeAll(async () => {
    receiver = await startReceiver();
    // The first message is taken and never confirmed.
    mail = await startMailServer({
      auth: true,
      onMessage: ({ text }) => (heldMails.push(text) === 1 ? new Promise(() => undefined) : Promise.resolve()),
    });
    directory = await mkdtemp(join(tmpdir(), 'tenantry-notifications-'));
    const authority = join(directory, 'authority.pem');
    await writeFile(authority, mail.authority);
    manager = await makeManagerProcess(
      { SECRET_KEY: secretKey, ALLOW_PRIVATE_NOTIFICATIONS: 'true', NODE_EXTRA_CA_CERTS: authority },
      directory,
    );
  });
  afterAll(async () => {
    await manager.remove();
    await Promise.all([receiver.stop(), mail.stop()]);
  });

  const create = async (kind: string, config: object) => {
    const { body, status } = await manager.call<{ id: string }>('POST', '/api/notifications/channels', {
      body: { kind, name: kind, config },
    });
    expect(status).toBe(201);
    ids[kind] = body.id;
  };

  /** What a feature of the manager would do, while none runs. */
  async function enqueue(key: string): Promise<void> {
    const logger = createLogger({ level: 'silent' });
    const store = await openManagerStore(`sqlite:${join(manager.directory, 'data', 'tenantry.db')}`, logger);
    const { outbox } = createNotifications({
      store,
      clock: systemClock,
      logger,
      writeAuditLog: async () => undefined,
      events: createEventBus(logger),
      tenants: { namesOf: async () => new Map() },
      recipients: async () => [],
      isInMaintenance: async () => () => false,
      digestMinutes: async () => 60,
      secretBox: createSecretBox(secretKey),
      senders: createSenders({ allowPrivate: true }),
      linkTo: (path) => path,
    });
    const at = new Date();
    const message = { title: key, text: '', url: 'https://t.test/', severity: 'error', at, tenants: [] } as const;
    await outbox.enqueue(Object.values(ids).map((channelId) => ({ key, channelId, message, notBefore: at })));
    await store.close();
  }

  const deliveries = async () => {
    const { body } = await manager.call<{
      deliveries: { channel_id: string; state: string; maybe_twice: boolean; attempts: number }[];
    }>('GET', '/api/notifications/deliveries');
    return Object.fromEntries(
      Object.entries(ids).map(([kind, id]) => [kind, body.deliveries.find(({ channel_id }) => channel_id === id)]),
    );
  };
  const idIn = (text: string) => /^Message-ID: (.*)$/im.exec(text)?.[1]?.trim();

  test('killed (-9) while it sends: nothing is lost, and receivers can recognize what arrives twice', async () => {
    await manager.start();
    await create('slack', { url: `${receiver.url}/slack` });
    await create('webhook', {
      url: `${receiver.url}/webhook`,
      secret: `whsec_${Buffer.alloc(24, 3).toString('base64')}`,
    });
    await create('email', {
      ...{ host: 'localhost', port: mail.port, security: 'starttls', ...mailAccount },
      ...{ from: 'tenantry@example.org', recipients: ['ops@example.org'] },
    });
    expect(await manager.stop()).toBe(0);
    await enqueue('incident/1');
    receiver.answer('hang', 'hang');
    await manager.start();
    await until(
      async () => [receiver.received.length, heldMails.length],
      ([web, mails]) => web === 2 && mails === 1,
    );
    await manager.kill();
    await manager.start();
    const ended = await until(deliveries, (all) => Object.values(all).every((one) => one?.state === 'delivered'));
    expect(ended).toMatchObject({
      slack: { maybe_twice: true, attempts: 2 },
      webhook: { maybe_twice: false, attempts: 2 },
      email: { maybe_twice: false, attempts: 2 },
    });
    const signed = receiver.received.filter(({ path }) => path === '/webhook');
    expect(signed.map(({ headers }) => headers['webhook-id'])).toEqual([
      signed[0]?.headers['webhook-id'],
      signed[0]?.headers['webhook-id'],
    ]);
    expect(heldMails.map(idIn)).toEqual([idIn(heldMails[0] ?? ''), idIn(heldMails[0] ?? '')]);
    expect(mail.received).toMatchObject([{ user: mailAccount.username, secure: true }]);
  });

  test('killed (-9) after everything was delivered: nothing is sent again', async () => {
    const before = [receiver.received.length, mail.received.length];
    await manager.kill();
    await enqueue('incident/1');
    await manager.start();
    // A further message shows that the outbox was looked at.
    await manager.kill();
    await enqueue('incident/2');
    await manager.start();
    await until(
      async () => mail.received.length,
      (count) => count === (before[1] ?? 0) + 1,
    );
    await until(
      async () => receiver.received.length,
      (count) => count === (before[0] ?? 0) + 2,
    );
    expect(manager.output()).not.toContain(mailAccount.password);
  });
});

describe('measurements', () => {
  /** Measurements are saved every minute or so; older ones survive. In seconds. */
  const savedAfter = 80;

  async function measured(): Promise<[number, number | null][]> {
    const { body } = await measuring.call<{ at: number[]; series: { name: string; values: (number | null)[] }[] }>(
      'GET',
      '/api/system/metrics?range=1h&step=10',
    );
    const memory = body.series.find(({ name }) => name === 'tenantry_manager_memory_bytes');
    return body.at.map((at, index) => [at, memory?.values[index] ?? null]);
  }

  test('kill -9 loses at most the last minute of measurements', async () => {
    const before = await until(
      measured,
      ([first]) => first !== undefined && Date.now() / 1_000 - first[0] > savedAfter + 15,
    );
    const old = before.filter(([at]) => at + 10 < Date.now() / 1_000 - savedAfter);
    expect(old.length).toBeGreaterThan(0);
    await measuring.kill();
    await measuring.start();
    expect(await measured()).toEqual(expect.arrayContaining(old));
  });
});
