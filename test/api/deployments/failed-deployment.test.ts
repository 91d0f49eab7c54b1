import { once } from 'node:events';
import { access, mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type App, sharedApp, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, getTenant, makeTenant, requestedPorts, setEnvironment } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

function firstDeployment(runtime: 'process' | 'docker'): void {
  let directory: string;
  let repository: FixtureRepository;
  let app: App;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-failed-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    app = await startApp({ environment: { RUNTIME: runtime }, healthTimeoutMs: 12_000 });
  });
  afterAll(async () => {
    await app.stop();
    await rm(directory, { recursive: true, force: true });
  });

  test.each([
    [{ MIGRATION: 'fail' }, 'Initialize database'],
    [{ MODE: 'crash' }, 'Health check'],
  ])('that fails (%j) leaves nothing, and the next one starts with an empty database', async (environment, step) => {
    const tenant = await makeTenant(app, repository.path);
    await setEnvironment(app, tenant.id, environment);
    expect(await deploy(app, tenant.id)).toMatchObject({ status: 'failed', error: { step } });
    const owned = await app.manager.app.runtime.list();
    expect(owned.filter(({ tenantId }) => tenantId === tenant.id)).toEqual([]);
    const kept = access(join(app.directory, 'data', 'tenants', tenant.slug)).then(
      () => 'kept',
      () => 'gone',
    );
    expect(await kept).toBe('gone');
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  });

  /** What a deployment does while another process listens on the api's port. */
  async function deployWithListener(ports: Record<string, number>) {
    const tenant = await makeTenant(app, repository.path, ports);
    const other = createServer((_request, response) => response.writeHead(404).end());
    other.listen(tenant.backend_port, '127.0.0.1');
    await once(other, 'listening');
    const end = await deploy(app, tenant.id);
    const after = await getTenant(app, tenant.id);
    const closed = once(other, 'close');
    other.close();
    other.closeAllConnections();
    await closed;
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
    return { tenant, end, after };
  }
  const holder = `is in use by process node \\(pid ${process.pid}\\)`;

  test('whose requested port is in use names the port and the process that uses it', async () => {
    const { tenant, end } = await deployWithListener(await requestedPorts(app));
    expect(end.status).toBe('failed');
    // An engine refuses to start the container; a process starts, and its health check fails.
    expect(end.error?.message).toMatch(new RegExp(`^Port ${tenant.backend_port}(?: of the API)? ${holder}`));
    expect(end.error?.detail).toContain(`${tenant.slug}-api`);
  });

  test('whose port was taken since it was allocated gets the next pair', async () => {
    const { tenant, end, after } = await deployWithListener({});
    expect(end).toMatchObject({ status: 'success', error: null });
    expect(end.logs).toMatch(new RegExp(`Port ${tenant.backend_port} ${holder}`));
    expect(after.backend_port).toBe(after.frontend_port + 1);
    expect(after.frontend_port).toBeGreaterThan(tenant.backend_port);
  });
}

describe('what cannot start', () => {
  let directory: string;
  let app: App;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-refused-'));
    app = await sharedApp();
  });
  afterAll(async () => {
    await rm(directory, { recursive: true, force: true });
  });

  test('a dry run of a repository that violates the contract returns the errors', async () => {
    const repository = await makeFixtureRepository(join(directory, 'repository'));
    await repository.release('v9.0.0', { 'tenant.yaml': null });
    const tenant = await makeTenant(app, repository.path);
    const { status, body } = await app.call('POST', `/api/tenants/${tenant.id}/deploy?dry_run=true`);
    const detail = 'git_repo: tenant.yaml: not found at the root of the repository';
    expect([status, body.code, body.detail]).toEqual([400, 'validation_error', detail]);
  });

  test('an operation on a tenant that is deleted concurrently gets the not-found error', async () => {
    const input = { skip_ssl: false, skip_proxy: false, skip_services: false, target_version: null };
    await expect(app.manager.app.engine.submit('deploy', 'gone', input)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('a deletion cannot be cancelled, because it cannot be rolled back', async () => {
    const tenant = await makeTenant(app, undefined);
    const { engine } = app.manager.app;
    await app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: 1 } });
    const input = {
      removeFiles: true,
      removeProxy: true,
      removeServices: true,
      actor: { userId: null, username: 'x' },
    };
    const { id } = await engine.submit('delete', tenant.id, input, { files: false, proxy: false, services: false });
    const { status, body } = await app.call('POST', `/api/deployments/${id}/cancel`);
    expect([
      [409, 'invalid_state'],
      [404, 'not_found'],
    ]).toContainEqual([status, body.code]);
    expect((await engine.ended(id))?.status ?? 'success').toBe('success');
    await app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: 2 } });
  });
});

describe('a first deployment of local processes', () => firstDeployment('process'));
describeWithEngine('a first deployment of containers', () => firstDeployment('docker'));
