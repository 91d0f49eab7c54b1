import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { type App, sharedApp, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { noteApplication } from '../../harness/data/note-application.ts';
import { deploy, getTenant, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { onSqlite } from '../../harness/servers/mariadb.ts';

interface ChecksAnswer {
  code?: string;
  detail?: string;
  checks: { name: string; steps: { name: string }[] }[];
  last_run: { at: string; status: string; results: { route: string; steps: { status: string }[] }[] } | null;
}

const password = 'tulip-marmalade-77';
const failure = 'Check “Find a person”, step “Search”: answered 500 instead of 2xx: no such table: people ••••';
const never = new AbortController().signal;

function suite(environment: () => Promise<Record<string, string>>): void {
  let directory: string;
  let repository: FixtureRepository;
  let app: App;
  let tenant: TenantAnswer;

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-steps-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    await repository.release('v2.0.0', noteApplication(repository));
    await repository.release('v2.1.0', noteApplication(repository, { broken: 'always' }));
    await repository.release('v3.0.0', noteApplication(repository, { checks: '' }));
    app = await startApp({ environment: await environment(), healthTimeoutMs: 60_000 });
    tenant = await newTenant();
  });
  afterAll(async () => {
    for await (const { id } of app.manager.app.tenants.each())
      await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app.stop();
    await rm(directory, { recursive: true, force: true });
  });

  async function newTenant(): Promise<TenantAnswer> {
    const made = await makeTenant(app, repository.path);
    await setEnvironment(app, made.id, { CHECK_PASSWORD: password });
    return made;
  }

  const path = (end = ''): string => `/api/tenants/${tenant.id}/synthetic-checks${end}`;
  const checksOf = async (): Promise<ChecksAnswer> => (await app.call<ChecksAnswer>('GET', path())).body;
  const runDue = async (): Promise<number> => {
    const { syntheticChecks } = app.manager.app;
    return (await syntheticChecks.runDue('well', never)) + (await syntheticChecks.runDue('troubled', never));
  };
  const health = async () =>
    (
      await app.call<{ overall_status: string; checks: Record<string, unknown> }>(
        'GET',
        `/api/tenants/${tenant.id}/health`,
      )
    ).body;

  test('a deployment passes the steps of its version and keeps their results', async () => {
    const { status, logs } = await deploy(app, tenant.id, { target_version: 'v2.0.0' });
    expect([status, logs]).toEqual(['success', expect.stringContaining('Check “Find a person”: passed after')]);
    const { checks, last_run } = await checksOf();
    expect(checks.map(({ steps }) => steps.map(({ name }) => name))).toEqual([
      ['Open the page', 'Sign in', 'Search', 'Save a note', 'Remove the note'],
    ]);
    expect(last_run).toMatchObject({ status: 'passed', results: [{ route: 'units' }] });
    expect(last_run?.results[0]?.steps.map(({ status: ended }) => ended)).toEqual(Array(5).fill('passed'));
    const { checks: found } = await health();
    expect(found.synthetic).toMatchObject({ status: 'up', check: null, step: null });
    const count = await fetch(`http://127.0.0.1:${tenant.backend_port}/api/notes/count`);
    expect(await count.json()).toEqual({ count: 0 });
  });

  test('a failing step fails the deployment with its name and reason, and it is rolled back', async () => {
    const { status, error, logs } = await deploy(app, tenant.id, { target_version: 'v2.1.0' });
    expect([status, error?.step, error?.message]).toEqual(['failed', 'Health check', failure]);
    expect(error?.detail).toContain('Sign in: passed (200, ');
    expect(JSON.stringify([error, logs])).not.toContain(password);
    expect(await getTenant(app, tenant.id)).toMatchObject({ version: 'v2.0.0', status: 'running' });
    // The earlier units start again.
    const check = () => app.call('POST', `/api/tenants/${tenant.id}/health-check`);
    await until(check, ({ body }) => body.overall_status === 'healthy');
    expect((await app.call<ChecksAnswer>('POST', path('/run'))).body.last_run?.status).toBe('passed');
  });

  test('an upgrade fails at the same step, and the earlier version and its results stay', async () => {
    const { status, body } = await app.call('POST', `/api/tenants/${tenant.id}/upgrade`, {
      body: { target_version: 'v2.1.0' },
    });
    expect([status, body.code, body.detail]).toEqual([502, 'upgrade_failed', expect.stringContaining(failure)]);
    expect(await getTenant(app, tenant.id)).toMatchObject({ version: 'v2.0.0', status: 'running' });
    expect((await checksOf()).last_run?.status).toBe('passed');
  });

  test('without the setting, the version is deployed; a repeated run turns it degraded, and it recovers', async () => {
    await app.call('PUT', '/api/settings/synthetic_checks_on_deploy', { body: { value: false } });
    const other = await newTenant();
    const before = tenant;
    tenant = other;
    try {
      expect((await deploy(app, other.id, { target_version: 'v2.1.0' })).status).toBe('success');
      expect((await checksOf()).last_run).toBeNull();
      expect(await runDue()).toBe(1);
      const degraded = await until(health, ({ overall_status }) => overall_status === 'degraded');
      expect(degraded.checks.synthetic).toMatchObject({
        status: 'down',
        check: 'Find a person',
        step: 'Search',
        error: failure,
      });
      // The entry follows the report.
      const path = `/api/logs?tenant_id=${other.id}&category=health_check`;
      await until(
        async () => (await app.call<{ logs: { message: string }[] }>('GET', path)).body.logs[0]?.message ?? '',
        (message) => message.includes(`→ degraded (synthetic: ${failure})`),
      );
      const { body: attention } = await app.call('GET', '/api/attention');
      expect(JSON.stringify(attention)).toContain('synthetic: Check “Find a person”');
      // Just checked, so not due.
      expect(await runDue()).toBe(0);

      expect((await deploy(app, other.id, { target_version: 'v2.0.0' })).status).toBe('success');
      // The failure belongs to the earlier release.
      expect((await checksOf()).last_run).toBeNull();
      expect(await runDue()).toBe(1);
      const recovered = await until(health, ({ checks }) => checks.synthetic !== undefined);
      expect([recovered.overall_status, recovered.checks.synthetic]).toEqual([
        'healthy',
        expect.objectContaining({ status: 'up' }),
      ]);
    } finally {
      tenant = before;
      await app.call('PUT', '/api/settings/synthetic_checks_on_deploy', { body: { value: true } });
    }
  });

  test('a requested run finds what broke since, and that it is repaired', async () => {
    const { runtime, tenants } = app.manager.app;
    const { importDirectory } = runtime.paths(spaceOf(await tenants.get(tenant.id)));
    const broken = join(importDirectory, 'broken');
    await writeFile(broken, '');
    const { status, body } = await app.call<ChecksAnswer>('POST', path('/run'));
    expect([status, body.last_run?.status]).toEqual([200, 'failed']);
    await until(health, ({ overall_status }) => overall_status === 'degraded');
    await rm(broken);
    expect((await app.call<ChecksAnswer>('POST', path('/run'))).body.last_run?.status).toBe('passed');
    await until(health, ({ overall_status }) => overall_status === 'healthy');
  });

  test('an operator runs them, a viewer only sees them', async () => {
    const { token } = await app.userOf('viewer');
    expect((await app.call('GET', path(), { token })).status).toBe(200);
    expect((await app.call('POST', path('/run'), { token })).status).toBe(403);
  });

  test('a stopped tenant, one without checks and one that was never deployed are refused', async () => {
    await app.call('POST', `/api/tenants/${tenant.id}/stop`);
    expect((await app.call<ChecksAnswer>('POST', path('/run'))).body.code).toBe('invalid_state');
    expect(await runDue()).toBe(0);
    expect((await deploy(app, tenant.id, { target_version: 'v3.0.0' })).status).toBe('success');
    expect((await app.call<ChecksAnswer>('POST', path('/run'))).body).toMatchObject({ code: 'invalid_state' });
    expect((await checksOf()).checks).toEqual([]);
    const fresh = await makeTenant(app, repository.path);
    const { body } = await app.call('POST', `/api/tenants/${fresh.id}/synthetic-checks/run`);
    expect(body.code).toBe('not_deployed');
  });

  test('no run outlives the manager', async () => {
    const { runtime, tenants, syntheticChecks } = app.manager.app;
    expect((await deploy(app, tenant.id, { target_version: 'v2.0.0' })).status).toBe('success');
    const { importDirectory } = runtime.paths(spaceOf(await tenants.get(tenant.id)));
    await writeFile(join(importDirectory, 'blocked'), '');
    const running = app.call<ChecksAnswer>('POST', path('/run'));
    await until(
      () =>
        access(join(importDirectory, 'waiting')).then(
          () => true,
          () => false,
        ),
      (is) => is,
    );
    await syntheticChecks.close();
    for (const answer of [await running, await app.call<ChecksAnswer>('POST', path('/run'))])
      expect([answer.status, answer.body.code]).toEqual([503, 'shutting_down']);
  });
}

onSqlite('checks with a user’s steps of local processes', (newDatabase) =>
  suite(async () => ({ DATABASE_URL: await newDatabase() })),
);

describe('a hostile repository', () => {
  test('is refused at its first step with the field', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-hostile-steps-'));
    const app = await sharedApp();
    try {
      const repository = await makeFixtureRepository(join(directory, 'repository'));
      const steps = '{ name: Steal, unit: api, path: "http://169.254.169.254/latest" }';
      const checks = `checks:\n  - { name: Steal, steps: [${steps}] }\n`;
      await repository.release('v2.0.0', noteApplication(repository, { checks }));
      const tenant = await makeTenant(app, repository.path);
      const { status, error } = await deploy(app, tenant.id);
      expect([status, error?.step]).toEqual(['failed', 'Copy files']);
      expect(error?.message).toMatch(/^tenant\.yaml: checks\.0\.steps\.0\.path: must be a path/);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

describeWithEngine('checks with a user’s steps of containers', () => {
  test('prove a deployment and fail the next one', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-docker-steps-'));
    const app = await startApp({ environment: { RUNTIME: 'docker' }, healthTimeoutMs: 60_000 });
    try {
      const repository = await makeFixtureRepository(join(directory, 'repository'));
      await repository.release('v2.0.0', noteApplication(repository));
      await repository.release('v2.1.0', noteApplication(repository, { broken: 'always' }));
      const tenant = await makeTenant(app, repository.path);
      await setEnvironment(app, tenant.id, { CHECK_PASSWORD: password });
      expect(await deploy(app, tenant.id, { target_version: 'v2.0.0' })).toMatchObject({
        status: 'success',
        error: null,
      });
      const { status, error } = await deploy(app, tenant.id, { target_version: 'v2.1.0' });
      expect([status, error?.message]).toEqual(['failed', failure]);
      await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    } finally {
      await app.stop();
      await rm(directory, { recursive: true, force: true });
    }
  });
});
