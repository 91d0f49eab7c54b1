import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { type App, startApp } from '../../harness/app/app.ts';
import { failWith, makeFaultyRepository } from '../../harness/data/faulty-application.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { noteApplication } from '../../harness/data/note-application.ts';
import { askDeploy, deploy, endOf, makeTenant, setEnvironment, type TenantAnswer } from '../../harness/data/tenants.ts';
import { diagnosed, diagnosisOf, setSettings, type UnitFault, well } from './faults.ts';

let directory: string;
let repository: string;
let app: App;
let tenant: TenantAnswer;

const space = async () => spaceOf(await app.manager.app.tenants.get(tenant.id));
const databaseFile = async () => join(app.manager.app.runtime.paths(await space()).dataDirectory, 'tenant.db');

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-diagnosis-'));
  repository = join(directory, 'repository');
  await makeFaultyRepository(repository);
  app = await startApp();
  await setSettings(app, { health_check_timeout: 1 });
  tenant = await makeTenant(app, repository);
  expect((await deploy(app, tenant.id, { target_version: 'v2.0.0' })).status).toBe('success');
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

test('a healthy tenant has no cause', async () => {
  const { body } = await app.call('GET', `/api/tenants/${tenant.id}/diagnosis`);
  expect(body).toMatchObject({ tenant_id: tenant.id, cause: null, known: true });
});

describe('a fault of the application', () => {
  afterEach(async () => {
    await failWith(app, tenant, 'api', 'none');
    await failWith(app, tenant, 'frontend', 'none');
  });

  test.each<UnitFault>([
    ['exit-3', 'api', 'unit_crashed'],
    ['exit-0', 'api', 'unit_crashed'],
    ['exit-3', 'frontend', 'unit_crashed'],
    ['type-error', 'api', 'uncaught_exception'],
    ['missing-module', 'api', 'missing_module'],
    ['missing-variable', 'api', 'missing_variable'],
    ['syntax', 'api', 'code_invalid'],
    ['kill', 'api', 'unit_killed'],
    ['abort', 'api', 'unit_killed'],
    ['heap', 'api', 'out_of_memory'],
    ['schema', 'api', 'schema_mismatch'],
    ['database-open', 'api', 'database_unreachable'],
    ['database-refused', 'api', 'database_unreachable'],
    ['full-disk', 'api', 'disk_full'],
    ['permission', 'api', 'permission_denied'],
    ['privileged-port', 'api', 'listen_refused'],
    ['program', 'api', 'missing_program'],
    ['unresolved', 'api', 'name_unresolved'],
    ['refused', 'api', 'service_unreachable'],
    ['no-listen', 'api', 'not_listening'],
    ['garbage', 'api', 'answer_invalid'],
    ['no-json', 'api', 'answer_invalid'],
    ['reset', 'api', 'answer_invalid'],
    ['status-500', 'api', 'application_fails'],
    ['status-500', 'frontend', 'application_fails'],
    ['status-404', 'api', 'page_missing'],
    ['unwell', 'api', 'application_unwell'],
    ['hang', 'api', 'application_hangs'],
    ['log-then-500', 'api', 'service_unreachable'],
    ['no-probe', 'api', 'page_missing'],
    ['other-key', 'api', 'api_key_refused'],
  ])('%s of the %s is %s', async (fault, role, expected) => {
    await failWith(app, tenant, role, fault);
    const { cause } = await diagnosed(app, tenant.id, expected);
    expect(cause?.evidence.length).toBeGreaterThan(0);
    expect(cause?.remedy?.action ?? cause?.remedy?.link).toMatch(/./);
  });
});

describe('a fault around the application', () => {
  afterEach(async () => {
    await failWith(app, tenant, 'api', 'none');
    await well(app, tenant.id);
  });

  test('another program on the port', async () => {
    const { runtime } = app.manager.app;
    const unit = { tenant: await space(), role: 'api' as const };
    await runtime.stop(unit);
    const other = createServer((socket) => socket.destroy()).listen(tenant.backend_port, '127.0.0.1');
    await once(other, 'listening');
    try {
      await runtime.start(unit);
      const { cause } = await diagnosed(app, tenant.id, 'port_in_use');
      expect(cause?.title).toContain(`Port ${tenant.backend_port} of the API is in use by process`);
      expect(cause?.confidence).toBe('certain');
    } finally {
      other.close();
    }
  });

  test('a locked database', async () => {
    const holder = new BetterSqlite(await databaseFile());
    holder.exec('BEGIN EXCLUSIVE');
    try {
      await diagnosed(app, tenant.id, 'database_locked');
    } finally {
      holder.close();
    }
  });

  test('a damaged database, whatever the application does', async () => {
    const file = await databaseFile();
    const content = new BetterSqlite(file).serialize();
    try {
      await writeFile(file, 'not a database, but long enough to be read as one'.repeat(100));
      await diagnosed(app, tenant.id, 'database_damaged');
      await failWith(app, tenant, 'api', 'exit-3');
      const { cause } = await diagnosed(app, tenant.id, 'database_damaged');
      expect(cause?.consequences.length).toBeGreaterThan(0);
    } finally {
      await writeFile(file, content);
    }
  });

  test('a missing database', async () => {
    const file = await databaseFile();
    const content = new BetterSqlite(file).serialize();
    try {
      await rm(file);
      await diagnosed(app, tenant.id, 'database_missing');
    } finally {
      await writeFile(file, content);
    }
  });

  test('a directory in place of the database', async () => {
    const file = await databaseFile();
    const content = new BetterSqlite(file).serialize();
    await rm(file);
    await mkdir(file);
    try {
      const { cause } = await diagnosed(app, tenant.id, 'database_failed');
      expect(cause?.evidence[0]?.fact).toMatch(/^The database’s check: ./);
    } finally {
      await rm(file, { recursive: true });
      await writeFile(file, content);
    }
  });

  test('a log file that cannot be opened', async () => {
    const log = join((await space()).directory, 'logs', 'api.log');
    await rm(log);
    await mkdir(log);
    try {
      await failWith(app, tenant, 'api', 'none');
      const { cause } = await diagnosed(app, tenant.id, 'cannot_start');
      expect(cause?.evidence[0]?.fact).toMatch(/^State of the API: EISDIR: /);
    } finally {
      await rm(log, { recursive: true });
    }
  });

  test('a suspended process', async () => {
    const { stdout } = await import('node:child_process').then(({ spawnSync }) =>
      spawnSync('/bin/sh', ['-c', `grep -lazs "TENANT_SLUG=${tenant.slug}" /proc/[0-9]*/environ`], {
        encoding: 'utf8',
      }),
    );
    const pids = stdout
      .split('\n')
      .flatMap((line) => /\/proc\/(\d+)\//.exec(line)?.[1] ?? [])
      .map(Number);
    expect(pids.length).toBeGreaterThan(1);
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    try {
      await diagnosed(app, tenant.id, 'application_hangs');
    } finally {
      for (const pid of pids) process.kill(pid, 'SIGCONT');
    }
  });

  test('stopped by a user, with a name and a time', async () => {
    expect((await app.call('POST', `/api/tenants/${tenant.id}/services/stop`)).status).toBe(200);
    const { cause } = await diagnosisOf(app, tenant.id);
    expect(cause).toMatchObject({ code: 'stopped', title: 'admin stopped the services', remedy: { action: 'start' } });
    expect((await app.call('POST', `/api/tenants/${tenant.id}/services/start`)).status).toBe(200);
  });
});

describe('a tenant that never ran', () => {
  test('is not deployed', async () => {
    const { id } = await makeTenant(app, repository);
    expect((await diagnosisOf(app, id)).cause).toMatchObject({ code: 'not_deployed', remedy: { action: 'redeploy' } });
  });

  test('with a failed deployment, and during one', async () => {
    const { id } = await makeTenant(app, repository);
    await setEnvironment(app, id, { MIGRATION: 'slow' });
    const deployment = await askDeploy(app, id, { target_version: 'v2.0.0' });
    const { cause } = await diagnosed(app, id, 'operation_running');
    expect(cause?.remedy?.link).toBe(`/tenants/${id}/deployments/${deployment}`);
    await app.call('POST', `/api/deployments/${deployment}/cancel`);
    await endOf(app, deployment);
    await setEnvironment(app, id, { MIGRATION: 'fail' });
    expect((await deploy(app, id, { target_version: 'v2.0.0' })).status).toBe('failed');
    expect((await diagnosisOf(app, id)).cause?.code).toBe('deployment_failed');
  });
});

test('a step of a user that fails, although every page answers', async () => {
  const notes = await makeFixtureRepository(join(directory, 'notes'));
  await notes.release('v2.0.0', noteApplication(notes));
  const { id } = await makeTenant(app, notes.path);
  await setEnvironment(app, id, { CHECK_PASSWORD: 'tulip-marmalade-77' });
  expect((await deploy(app, id, { target_version: 'v2.0.0' })).status).toBe('success');
  await well(app, id);
  const { runtime, tenants } = app.manager.app;
  const broken = join(runtime.paths(spaceOf(await tenants.get(id))).importDirectory, 'broken');
  const run = () => app.call('POST', `/api/tenants/${id}/synthetic-checks/run`);
  await writeFile(broken, '');
  await run();
  const { cause } = await diagnosed(app, id, 'user_steps_failed');
  expect(cause).toMatchObject({
    title: 'The application answers, but “Find a person” fails',
    consequences: ['Users cannot finish “Find a person”.'],
  });
  expect(cause?.evidence[0]?.fact).toContain('step “Search”: answered 500');
  await rm(broken);
  await run();
  await well(app, id);
});

test('a start script with CRLF', async () => {
  const own = await makeFaultyRepository(join(directory, 'crlf'));
  const manifest = own.manifest
    .replace('start: node server.js api', 'start: ./start.sh')
    .replace('node install.js', 'chmod +x start.sh');
  await own.release('v3.0.0', { 'tenant.yaml': manifest, 'start.sh': '#!/bin/sh\r\nexec node server.js api\r\n' });
  const { id } = await makeTenant(app, own.path);
  const { error } = await deploy(app, id, { target_version: 'v3.0.0' });
  expect(error?.message).toContain('The first line of start.sh ends with a carriage return (CRLF)');
  expect(error?.cause).toMatchObject({ code: 'script_line_ends', params: { file: 'start.sh' } });
});

test('the logs of a failed first deployment are readable', async () => {
  const { id, slug } = await makeTenant(app, repository);
  const logs = (query: string) => app.call<{ logs: string }>('GET', `/api/tenants/${id}/logs${query}`);
  expect((await logs('?service=backend')).status).toBe(409);
  await setEnvironment(app, id, { API_FAULT: 'exit-3', SMTP_TOKEN: 'tulip-marmalade-77' });
  const failed = await deploy(app, id, { target_version: 'v2.0.0' });
  expect(failed.error?.message).toMatch(/^The API (ends with exit code 3\.|crashes: exit 3,) /);
  expect(failed.logs).toContain(`[${slug}-api] cannot reach the moon`);
  expect(failed.logs).toContain(`[${slug}-frontend] frontend listens`);
  expect((await logs('?service=backend')).body.logs).toContain('cannot reach the moon');
  expect((await logs('')).body.logs).toContain('[frontend] frontend listens');
  const { body } = await app.call<{ hits: unknown[] }>('GET', `/api/tenants/${id}/logs/search?text=moon`);
  expect(body.hits.length).toBeGreaterThan(0);
});

test('a start with a configuration that ends the API says why, what was changed, and the way back', async () => {
  const one = await makeTenant(app, repository);
  await deploy(app, one.id, { target_version: 'v2.0.0' });
  await setEnvironment(app, one.id, { API_FAULT: 'exit-3' });
  for (const action of ['stop', 'start'])
    expect((await app.call('POST', `/api/tenants/${one.id}/${action}`)).status).toBe(action === 'stop' ? 200 : 502);
  const { cause } = await diagnosed(app, one.id, 'start_failed_after_change');
  expect(cause).toMatchObject({
    title: expect.stringMatching(/^The last start failed, after a change of the configuration: The /),
    params: { action: 'start' },
    remedy: { action: 'start', link: `/tenants/${one.id}/configuration` },
  });
  const facts = cause?.evidence.map(({ fact }) => fact).join('\n');
  expect(facts).toContain('The last change: Configuration of');
  expect(facts).toContain('exited with code 3');
  expect(facts).toContain('The log: cannot reach the moon');
  await setEnvironment(app, one.id, {});
  expect((await app.call('POST', `/api/tenants/${one.id}/start`)).status).toBe(200);
  await well(app, one.id);
  // One that falls back to services that run says so, and its diagnosis is that of a healthy tenant.
  await setEnvironment(app, one.id, { API_FAULT: 'type-error' });
  const { status, body } = await app.call<{ detail: string }>('POST', `/api/tenants/${one.id}/restart`);
  expect([status, body.detail]).toEqual([502, expect.stringContaining('its services run')]);
  await well(app, one.id);
});

test('missing files of the release', async () => {
  const { runtime } = app.manager.app;
  const broken = await makeTenant(app, repository);
  await deploy(app, broken.id, { target_version: 'v2.0.0' });
  const { deployed } = await app.manager.app.tenants.get(broken.id);
  const { key = '', checkout = '' } = deployed ?? {};
  expect(await runtime.hasRelease(key)).toBe(true);
  const own = join(app.directory, 'data', 'process');
  for (const path of [checkout, join(own, 'releases', key), join(own, 'tenants', broken.id, 'copies')])
    await rm(path, { recursive: true, force: true });
  await failWith(app, broken, 'api', 'none');
  const { cause } = await diagnosed(app, broken.id, 'release_missing');
  expect(cause?.remedy?.action).toBe('redeploy');
});
