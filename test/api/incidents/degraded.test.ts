import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { noteApplication } from '../../harness/data/note-application.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { onOneDatabase } from '../../harness/servers/mariadb.ts';
import { type Receiver, startReceiver } from '../../harness/servers/receiver.ts';
import { checkApart, type IncidentAnswer, type IncidentListAnswer, inboxOf, kindsOf } from './incident-answers.ts';

onOneDatabase('incidents of tenants whose pages answer', (newDatabase) => {
  let app: App;
  let receiver: Receiver;
  let tenant: TenantAnswer;
  let paths: { importDirectory: string; dataDirectory: string };

  beforeAll(async () => {
    app = await startApp({
      environment: { DATABASE_URL: await newDatabase(), ALLOW_PRIVATE_NOTIFICATIONS: 'true' },
      healthTimeoutMs: 5_000,
    });
    const repository = await makeFixtureRepository(`${app.directory}/repository`);
    await repository.release('v2.0.0', noteApplication(repository));
    receiver = await startReceiver();
    const config = { url: `${receiver.url}/hook` };
    const channel = await app.call<{ id: string }>('POST', '/api/notifications/channels', {
      body: { kind: 'slack', name: 'Ops', enabled: true, config },
    });
    expect(channel.status).toBe(201);
    const rule = { severity: 'error', channel_ids: [channel.body.id] };
    expect((await app.call('POST', '/api/notifications/rules', { body: rule })).status).toBe(201);
    tenant = await makeTenant(app, repository.path, { name: 'a' });
    await setEnvironment(app, tenant.id, { CHECK_PASSWORD: 'tulip-marmalade-77' });
    expect((await deploy(app, tenant.id, { target_version: 'v2.0.0' })).status).toBe('success');
    const { runtime, tenants } = app.manager.app;
    paths = runtime.paths(spaceOf(await tenants.get(tenant.id)));
  });
  afterAll(async () => {
    await app?.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    await app?.stop();
    await receiver?.stop();
  });

  const check = () => app.call<{ overall_status: string }>('POST', `/api/tenants/${tenant.id}/health-check`);
  const runSteps = () => app.call('POST', `/api/tenants/${tenant.id}/synthetic-checks/run`);
  const get = async (id: string) => (await app.call<IncidentAnswer>('GET', `/api/incidents/${id}`)).body;
  async function opened(): Promise<IncidentAnswer> {
    await checkApart(async () => expect((await check()).body.overall_status).toBe('degraded'));
    const { incidents } = await until(
      async () => (await app.call<IncidentListAnswer>('GET', '/api/incidents?status=unresolved')).body,
      (found) => found.incidents.length === 1,
    );
    const id = incidents[0]?.id ?? '';
    return until(
      () => get(id),
      (incident) => kindsOf(incident).includes('notified'),
    );
  }
  async function ended(id: string): Promise<void> {
    await check();
    await check();
    const incident = await until(
      () => get(id),
      (found) => found.status === 'resolved' && kindsOf(found).at(-1) === 'notified',
    );
    expect(kindsOf(incident)).toEqual(['opened', 'notified', 'recovered', 'resolved', 'notified']);
  }
  const titlesAbout = async (id: string) =>
    (await inboxOf(app)).filter(({ key }) => key.startsWith(`incident/${id}/`)).map(({ title }) => title);

  test('open for a step of a user that fails, with one alert, and one with the duration when it passes', async () => {
    const broken = join(paths.importDirectory, 'broken');
    await writeFile(broken, '');
    await runSteps();
    const incident = await opened();
    expect(incident).toMatchObject({
      severity: 'error',
      title: 'The application answers, but “Find a person” fails',
      cause: { code: 'user_steps_failed', scope: { kind: 'tenant', name: tenant.slug } },
    });
    expect(incident.announcements).toMatchObject([
      { what: 'opened', recipients: { users: ['admin'], deliveries: [{ channel: 'Ops', personal: false }] } },
    ]);
    const [opening] = incident.timeline;
    expect(opening?.diagnosis).toMatchObject({
      confidence: 'certain',
      consequences: ['Users cannot finish “Find a person”.'],
      remedy: { link: `/tenants/${tenant.id}/logs` },
    });
    const facts = opening?.diagnosis?.evidence.map(({ fact }) => fact) ?? [];
    expect(facts[0]).toContain('step “Search”: answered 500');
    expect(facts.some((fact) => fact.startsWith('The last change: '))).toBe(true);
    const viewer = await app.userOf('viewer');
    const seen = (await app.call<IncidentAnswer>('GET', `/api/incidents/${incident.id}`, { token: viewer.token })).body;
    expect(seen.announcements).toMatchObject([{ what: 'opened', recipients: null }]);
    expect(seen.timeline[0]?.diagnosis?.evidence.map(({ fact }) => fact)).toEqual(facts.slice(0, 1));
    await check();
    expect(await titlesAbout(incident.id)).toEqual(['a: The application answers, but “Find a person” fails']);
    await rm(broken);
    await runSteps();
    await ended(incident.id);
    const [end, ...others] = await titlesAbout(incident.id);
    expect(end).toMatch(/^Recovered after \d+ s: a: The application answers/);
    expect(others).toHaveLength(1);
    const { text } = (await app.call<{ text: string }>('GET', `/api/incidents/${incident.id}/export`)).body;
    expect(text).toContain('  - Effect: Users cannot finish “Find a person”.');
    expect(text).toMatch(/ {2}- .* UTC, Health check: .*answered 500/);
    expect(text).toMatch(/## Notifications\n\n- .*: opened\n {2}- Inbox: admin\n {2}- Ops: delivered, /);
  });

  test('open for a damaged database', async () => {
    const file = join(paths.dataDirectory, 'tenant.db');
    const content = new BetterSqlite(file).serialize();
    await writeFile(file, 'not a database, but long enough to be read as one'.repeat(100));
    const incident = await opened();
    expect(incident).toMatchObject({ severity: 'error', cause: { code: 'database_damaged' } });
    expect(await titlesAbout(incident.id)).toHaveLength(1);
    await writeFile(file, content);
    await ended(incident.id);
  });
});
