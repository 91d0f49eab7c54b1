import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import {
  askDeploy,
  deploy,
  endOf,
  getDeployment,
  getTenant,
  makeTenant,
  requestedPorts,
  setEnvironment,
  until,
} from '../../harness/data/tenants.ts';

let directory: string;
let repository: FixtureRepository;
let app: App;
const holders: Server[] = [];

/** The fixture's server, which first fails in the way that FAIL names. */
const failing = (server: string): string => `
const fail = process.env.FAIL;
if (fail === 'module') require('no-such-module');
if (fail === 'variable' && !process.env.SMTP_HOST) throw new Error('SMTP_HOST is not set');
if (fail === 'memory') process.kill(process.pid, 'SIGKILL');
if (fail === 'file') require('node:fs').readFileSync('/proc/1/mem/' + process.pid);
if (fail === 'disk') require('node:fs').writeFileSync('/dev/full', 'x');
if (fail === 'database') require('node:net').connect(3306, '127.0.0.9');
else if (fail === 'syntax') new (require('node:vm').Script)('let let = 1');
else if (fail === 'exit') process.exit(9);
else if (fail === 'deaf') setInterval(() => undefined, 1_000);
else if (['hang', 'errors', 'path'].includes(fail)) {
  const answer = (_, response) => fail !== 'hang' && response.writeHead(fail === 'path' ? 404 : 500).end();
  require('node:http').createServer(answer).listen(Number(process.env.PORT), process.env.HOST);
}
else {${server}}
`;

async function occupy(port: number): Promise<void> {
  const server = createServer((_request, response) => response.writeHead(404).end());
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  holders.push(server);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-causes-'));
  repository = await makeFixtureRepository(join(directory, 'repository'));
  const server = await readFile(join(repository.path, 'server.js'), 'utf8');
  const migrate = await readFile(join(repository.path, 'migrate.js'), 'utf8');
  await repository.release('v1.3.0', {
    'server.js': failing(server),
    'migrate.js': `if (process.env.MIGRATION === 'schema') { console.error('SqliteError: no such table: widgets'); process.exit(3); }\n${migrate}`,
  });
  app = await startApp({ healthTimeoutMs: 20_000 });
});
afterAll(async () => {
  for (const { id } of (await app.call<{ tenants: { id: string }[] }>('GET', '/api/tenants?limit=500')).body.tenants) {
    await app.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  }
  await app.stop();
  for (const server of holders) server.close();
  await rm(directory, { recursive: true, force: true });
});

describe('a deployment that fails names the cause', () => {
  const causes: Record<string, [code: string, message: string]> = {
    module: ['missing_module', 'The module “no-such-module” is missing. Add it'],
    variable: [
      'missing_variable',
      'The environment variable SMTP_HOST is not set. Add it to the tenant’s configuration',
    ],
    memory: ['unit_killed', 'The API was ended by SIGKILL. Raise the memory limit'],
    disk: ['disk_full', 'The disk is full. Delete old backups or enlarge the disk, then try again.'],
    database: ['database_unreachable', 'The application cannot connect to its database (127.0.0.9:3306).'],
    syntax: ['code_invalid', 'The code has a syntax error: '],
    // How often it has crashed until then is said, too, from the third time on.
    exit: ['unit_crashed', 'The API '],
    deaf: ['not_listening', 'The API runs but does not listen on its port. It must listen on HOST and PORT'],
    hang: ['application_hangs', 'The API runs but does not answer. See the operation’s log'],
    errors: ['application_fails', 'The API answers with errors. See the log'],
    path: ['page_missing', 'The API has no health page at the path in tenant.yaml. Correct the path'],
  };
  const deployments = new Map<string, { slug: string; id: string }>();
  beforeAll(async () => {
    // They wait concurrently for units that crash again and again.
    await app.call('PUT', '/api/settings/deployment_concurrency', { body: { value: 11 } });
    for (const fail of Object.keys(causes)) {
      const { id, slug } = await makeTenant(app, repository.path);
      await setEnvironment(app, id, { FAIL: fail });
      deployments.set(fail, { slug, id: await askDeploy(app, id) });
    }
  });
  test.each(Object.entries(causes))('%s', async (fail, [code, message]) => {
    const { slug = '', id = '' } = deployments.get(fail) ?? {};
    const { status, error } = await endOf(app, id);
    expect([status, error?.step, error?.cause?.code]).toEqual(['failed', 'Health check', code]);
    expect(error?.message).toBe(`${error?.cause?.title}. ${error?.cause?.remedy}.`);
    expect(error?.message.slice(0, message.length)).toBe(message);
    const isUp = ['deaf', 'hang', 'errors', 'path'].includes(fail);
    expect(error?.detail).toMatch(
      isUp
        ? new RegExp(`${slug}-api /api/health`)
        : new RegExp(`^${slug}-(?:api|frontend) does not stay up: (?:exited with code|ended by SIGKILL)`),
    );
    // What only the program says of its disk or database is not certain.
    const confidence = fail === 'disk' || fail === 'database' ? 'likely' : 'certain';
    expect(error?.cause?.diagnosis?.confidence).toBe(confidence);
    expect(error?.cause?.diagnosis?.evidence.length).toBeGreaterThan(0);
  });

  test('a port in use, with the process that uses it', async () => {
    const tenant = await makeTenant(app, repository.path, await requestedPorts(app));
    await occupy(tenant.frontend_port);
    const { error } = await deploy(app, tenant.id);
    expect(error?.message).toMatch(
      new RegExp(
        `^Port ${tenant.frontend_port} of the site is in use by process node \\(pid ${process.pid}\\)\\. Stop what uses the port, or give the tenant another port; then try again\\.$`,
      ),
    );
    expect(error?.detail).toContain(`${tenant.slug}-frontend`);
  });

  test('a port of another tenant’s service', async () => {
    const tenant = await makeTenant(app, repository.path, await requestedPorts(app));
    const listen = `require('node:http').createServer((_, r) => r.end()).listen(${tenant.frontend_port}, '127.0.0.1', () => console.log('up'))`;
    const other = spawn(process.execPath, ['-e', listen], { env: { TENANT_SLUG: 'elmwood' } });
    await once(other.stdout, 'data');
    const ended = once(other, 'exit');
    const { error } = await deploy(app, tenant.id);
    other.kill();
    await ended;
    expect(error?.message).toContain(`Port ${tenant.frontend_port} of the site is in use by tenant elmwood, process`);
  });

  test('a failed install and a failed migration', async () => {
    await repository.release('v1.4.0', {
      'install.js':
        'console.error("npm error code ERESOLVE"); console.error(\'npm error A complete log of this run\'); process.exit(1);\n',
    });
    const installed = await deploy(app, (await makeTenant(app, repository.path)).id);
    expect(installed.error).toMatchObject({
      step: 'Install dependencies',
      message: expect.stringMatching(/^npm cannot resolve the dependencies: two packages need different versions\. /),
      detail: expect.stringContaining('exit code 1'),
    });
    await repository.release('v1.5.0', { 'install.js': "console.log('installed');\n" });
    const tenant = await makeTenant(app, repository.path);
    await setEnvironment(app, tenant.id, { MIGRATION: 'schema' });
    expect((await deploy(app, tenant.id)).error).toMatchObject({
      cause: { code: 'schema_mismatch' },
      step: 'Initialize database',
      message:
        'A migration does not fit the database: no such table: widgets. Fix the migration, or restore a backup whose data it fits.',
      detail: 'Migration first ended with exit code 3',
    });
  });
});

test('a failed upgrade names the cause in its response', async () => {
  const tenant = await makeTenant(app, repository.path);
  expect((await deploy(app, tenant.id, { target_version: 'v1.0.0' })).status).toBe('success');
  await setEnvironment(app, tenant.id, { FAIL: 'module' });
  const { status, body } = await app.call('POST', `/api/tenants/${tenant.id}/upgrade`, { body: {} });
  expect([status, body.code]).toEqual([502, 'upgrade_failed']);
  expect(body.detail).toMatch(
    /Health check: The module “no-such-module” is missing\. .*\(.*does not stay up: exited with code 1\)\. Rolled back/,
  );
});

describe('a cancelled deployment', () => {
  test('of a tenant whose first one failed leaves it pending: nothing of either is left', async () => {
    const tenant = await makeTenant(app, repository.path);
    await setEnvironment(app, tenant.id, { MIGRATION: 'fail' });
    await deploy(app, tenant.id);
    expect((await getTenant(app, tenant.id)).status).toBe('error');
    await setEnvironment(app, tenant.id, { MIGRATION: 'slow' });
    const asked = await app.call<{ deployment_id: string }>('POST', `/api/tenants/${tenant.id}/deploy`);
    await until(
      () => getDeployment(app, asked.body.deployment_id),
      ({ logs }) => logs.includes('migrating first'),
    );
    await app.call('POST', `/api/deployments/${asked.body.deployment_id}/cancel`);
    expect((await endOf(app, asked.body.deployment_id)).status).toBe('cancelled');
    expect((await getTenant(app, tenant.id)).status).toBe('pending');
  });
});
