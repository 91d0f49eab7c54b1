import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import BetterSqlite from 'better-sqlite3';
import { ConfigError, readConfig } from '../../../src/app/config/config.ts';
import { type ManagerProcess, makeManagerProcess } from '../../harness/app/manager-process.ts';
import { until } from '../../harness/data/tenants.ts';

const root = join(import.meta.dirname, '..', '..', '..');

describe('the configuration', () => {
  test('has defaults for all optional variables', () => {
    expect(readConfig({})).toMatchObject({
      PORT: 32201,
      DASHBOARD_PORT: 32200,
      HOST: '127.0.0.1',
      ACCESS_TOKEN_TTL: 43_200,
      PORT_POOL_START: 32_300,
      PORT_POOL_END: 32_999,
      PROXY: 'none',
      ALLOW_LOCAL_REPOSITORIES: false,
      RUNTIME: undefined,
      SECRET_KEY: undefined,
    });
    expect(readConfig({ PORT: '', ACCESS_TOKEN_TTL: '15m', ALLOW_LOCAL_REPOSITORIES: 'true' })).toMatchObject({
      PORT: 32201,
      ACCESS_TOKEN_TTL: 900,
      ALLOW_LOCAL_REPOSITORIES: true,
    });
  });

  test.each([
    ['PORT', '70000'],
    ['PORT', '80x'],
    ['DATABASE_URL', 'postgres://x'],
    ['SECRET_KEY', 'short-secret'],
    ['ADMIN_PASSWORD', 'secret'],
    ['ACCESS_TOKEN_TTL', 'soon'],
    ['RUNTIME', 'kubernetes'],
    ['PROXY', 'apache'],
    ['PORT_POOL_END', '100'],
    ['TENANT_APP_API_KEY', 'has spaces in it, many'],
    ['TENANT_DATABASE_URL', 'mysql://no-user'],
    ['ALLOW_LOCAL_REPOSITORIES', 'maybe'],
    ['METRICS_TOKEN', 'x'],
    ['DOCKER_HOST', 'ssh://engine.example.org'],
  ])('an invalid %s names the variable, the rule and an example, never the value', (name, value) => {
    const wrong = (): unknown => readConfig({ [name]: value });
    expect(wrong).toThrow(ConfigError);
    expect(wrong).toThrow(new RegExp(`${name} must be .+ Example: .*${name}=`));
    if (name.includes('SECRET') || name.includes('PASSWORD')) {
      expect(wrong).not.toThrow(value);
    }
  });
});

test('STANDBY needs a database that both managers reach, and their key', () => {
  const problems = (environment: Record<string, string>) => {
    try {
      readConfig({ STANDBY: 'true', ...environment });
      return '';
    } catch (error) {
      return String(error);
    }
  };
  expect(problems({})).toMatch(/DATABASE_URL must be a MySQL or MariaDB server.*\n.*SECRET_KEY must be set/);
  const url = 'mysql://user:password@host:3306/name';
  expect(problems({ DATABASE_URL: url })).toMatch(/^ConfigError: SECRET_KEY must be set with STANDBY=true/);
  expect(problems({ DATABASE_URL: url, SECRET_KEY: 'a key of at least 32 characters ..' })).toBe('');
});

test('at a terminal the log is for people; nothing is lost of a start that fails', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-terminal-'));
  const environment = { ...process.env, DATA_DIR: directory, RUNTIME: 'process', PORT: '0', DASHBOARD_PORT: '0' };
  const start = async (more: Record<string, string>): Promise<string> => {
    const child = execFile(
      'script',
      ['--quiet', '--return', '--command', `${process.execPath} src/main.ts`, '/dev/null'],
      {
        cwd: root,
        env: { ...environment, ...more },
      },
    );
    let output = '';
    child.stdout?.on('data', (chunk) => {
      // Ctrl-C, once: the terminal echoes it.
      if (!output.includes('Tenantry is ready') && `${output}${chunk}`.includes('Tenantry is ready'))
        child.stdin?.write('\u0003');
      output += chunk;
    });
    await once(child, 'close');
    return output;
  };
  try {
    const output = await start({ ADMIN_PASSWORD: 'violet horse ladder marmalade 9' });
    expect(output).toContain('Tenantry is ready');
    expect(output).toContain('stopping');
    expect(output).not.toContain('"msg"');
    expect(output.split('\n').filter((line) => line.includes('schema created'))).toHaveLength(1);
    expect(await start({ DATABASE_URL: `sqlite:${directory}` })).toMatch(/DATABASE_URL|directory/);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('rejects two equal ports', () => {
  expect(() => readConfig({ PORT: '4000', DASHBOARD_PORT: '4000' })).toThrow(/^DASHBOARD_PORT must be another port/);
  expect(readConfig({ PORT: '0', DASHBOARD_PORT: '0' })).toMatchObject({ PORT: 0, DASHBOARD_PORT: 0 });
});

describe('a swarm', () => {
  const swarm = { RUNTIME: 'swarm', SWARM_STORAGE: '/srv/tenantry', TENANT_DATABASE_URL: 'mysql://root:x@db:3306' };

  test('takes several managers, a registry and a storage', () => {
    const managers = 'unix:///run/docker.sock, tcp://10.0.0.2:2375';
    const network = { SWARM_REGISTRY: 'registry.internal:5000', SWARM_MTU: '1350' };
    expect(readConfig({ ...swarm, ...network, DOCKER_HOST: managers })).toMatchObject({
      DOCKER_HOST: [{ socketPath: '/run/docker.sock' }, { host: '10.0.0.2', port: 2375 }],
      SWARM_REGISTRY: 'registry.internal:5000',
      SWARM_MTU: 1350,
    });
    expect(readConfig(swarm).SWARM_MTU).toBeUndefined();
  });

  test.each([
    [{ ...swarm, SWARM_STORAGE: '' }, 'SWARM_STORAGE must be set with RUNTIME=swarm'],
    [{ ...swarm, SWARM_STORAGE: 'srv' }, 'SWARM_STORAGE must be the absolute path'],
    [{ ...swarm, TENANT_DATABASE_URL: '' }, 'TENANT_DATABASE_URL must be set with RUNTIME=swarm'],
    [{ ...swarm, SWARM_REGISTRY: 'https://registry.internal' }, 'SWARM_REGISTRY must be a registry'],
    [{ ...swarm, SWARM_MTU: '1000' }, 'SWARM_MTU must be'],
    [{ ...swarm, TENANT_DATABASE_ADDRESS: 'db.internal' }, 'TENANT_DATABASE_ADDRESS must be host:port'],
    [{ ...swarm, TENANT_DATABASE_ADDRESS: 'db.internal:99999' }, 'TENANT_DATABASE_ADDRESS must be host:port'],
    [{ TENANT_DATABASE_ADDRESS: 'db.internal:3306' }, 'TENANT_DATABASE_ADDRESS needs TENANT_DATABASE_URL'],
    [{ ...swarm, SWARM_REGISTRY_USER: 'tenantry' }, 'SWARM_REGISTRY_PASSWORD must be set together'],
    [{ ...swarm, DOCKER_HOST: 'unix:///run/docker.sock,' }, 'DOCKER_HOST must be'],
    [
      { RUNTIME: 'docker', DOCKER_HOST: 'tcp://10.0.0.1:2375,tcp://10.0.0.2:2375' },
      'several managers need RUNTIME=swarm',
    ],
  ])('rejects %j, with the reason', (environment, words) => {
    expect(() => readConfig(environment)).toThrow(ConfigError);
    expect(() => readConfig(environment)).toThrow(words);
  });
});

describe('proxy and certificates', () => {
  test.each([
    [{ CERTIFICATES: 'acme' }, 'CERTIFICATES needs a proxy'],
    [{ PROXY: 'nginx', CERTIFICATES: 'files' }, 'CERTIFICATE_DIRECTORY must be set'],
    [
      { PROXY: 'nginx', PROXY_CONTAINER: 'tenantry-nginx', RUNTIME: 'process' },
      'PROXY_CONTAINER needs RUNTIME=docker or swarm',
    ],
    [{ PROXY: 'nginx', PROXY_SERVICE: 'tenantry_sites', RUNTIME: 'docker' }, 'PROXY_SERVICE needs PROXY=nginx'],
    [{ PROXY: 'nginx', PROXY_SERVICE: 'sites', PROXY_CONTAINER: 'nginx', RUNTIME: 'swarm' }, 'can’t both be set'],
    [{ PROXY: 'nginx', CERTIFICATES: 'acme', ACME_EAB_KEY_ID: 'kid-1' }, 'must be set together'],
    [{ PROXY: 'traefik', CERTIFICATES: 'acme' }, 'PROXY_RESOLVER must be set'],
    [{ PROXY: 'nginx', PROXY_ADDRESS: 'a b' }, 'PROXY_ADDRESS must be'],
    [{ PROXY: 'nginx', PROXY_HTTP_PORT: '0' }, 'PROXY_HTTP_PORT must be'],
    [{ PROXY: 'nginx', ACME_DIRECTORY_URL: 'ftp://x.example' }, 'ACME_DIRECTORY_URL must be'],
  ])('rejects the combination %j, with the reason', (environment, words) => {
    expect(() => readConfig(environment as Record<string, string>)).toThrow(words);
  });

  test('accepts valid combinations; Let’s Encrypt is the default authority', () => {
    expect(readConfig({ PROXY: 'nginx', CERTIFICATES: 'acme' })).toMatchObject({
      PROXY_ADDRESS: '127.0.0.1',
      PROXY_HTTP_PORT: 80,
      PROXY_HTTPS_PORT: 443,
      PROXY_CONTAINER: undefined,
      ACME_DIRECTORY_URL: 'https://acme-v02.api.letsencrypt.org/directory',
    });
    const swarm = { TENANT_DATABASE_URL: 'mysql://root:password@db.internal:3306', SWARM_STORAGE: '/srv/tenantry' };
    const inContainer = readConfig({ PROXY: 'nginx', PROXY_CONTAINER: 'nginx', RUNTIME: 'swarm', ...swarm });
    expect(inContainer.PROXY_CONTAINER).toBe('nginx');
    // As compose sets them without a profile.
    expect(readConfig({ PROXY: 'none', PROXY_CONTAINER: '', RUNTIME: 'docker' }).PROXY_CONTAINER).toBeUndefined();
  });
});

describe('startup', () => {
  let manager: ManagerProcess;
  beforeEach(async () => {
    manager = await makeManagerProcess({ RUNTIME: 'process' });
  });
  afterEach(() => manager.remove());

  const startBy = (environment: Record<string, string>) =>
    promisify(execFile)(process.execPath, ['src/main.ts'], {
      cwd: root,
      env: { PATH: process.env.PATH ?? '', ...environment },
      timeout: 30_000,
    });

  test('with an invalid value fails immediately with the reason', async () => {
    const failed = await startBy({ PORT: 'http', SECRET_KEY: 'x' }).catch((error) => error);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(/^PORT must be .*\nSECRET_KEY must be .*\n$/);
  });

  test('with several Swarm managers by TCP serves, and says that none answers', async () => {
    const swarm = await makeManagerProcess({
      RUNTIME: 'swarm',
      DOCKER_HOST: 'tcp://127.0.0.1:1,tcp://127.0.0.1:2',
      TENANT_DATABASE_URL: 'mysql://root:password@127.0.0.1:3',
      SWARM_STORAGE: manager.directory,
      LOG_LEVEL: 'warn',
    });
    try {
      await swarm.start();
      await until(
        async () => swarm.output(),
        (output) => output.includes('127.0.0.1:1') && output.includes('127.0.0.1:2'),
      );
      expect(swarm.output()).toContain('No Swarm manager answers');
    } finally {
      await swarm.stop();
      await swarm.remove();
    }
  });

  test('at a port in use fails immediately with what to do, before it changes anything', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as AddressInfo;
    const data = join(manager.directory, 'new');
    const failed = await startBy({ DATA_DIR: data, PORT: String(port) }).catch((error) => error);
    expect(failed.code).toBe(1);
    expect(failed.stderr).toMatch(
      new RegExp(`^PORT must be free: something else listens at 127.0.0.1:${port} already. .*Example: PORT=\\d+\n$`),
    );
    await expect(stat(data)).rejects.toThrow('ENOENT');
    // An address of another machine (TEST-NET-1).
    const elsewhere = await startBy({ DATA_DIR: data, PORT: '0', HOST: '192.0.2.1' }).catch((error) => error);
    expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringMatching(/^HOST must be .*\n$/)]);

    // The API is more useful without its pages than no API at all.
    const own = await makeManagerProcess({ RUNTIME: 'process', DASHBOARD_PORT: String(port) });
    await own.start();
    expect(own.output()).toMatch(new RegExp(`"message":"DASHBOARD_PORT must be free: .*:${port} `));
    expect(await own.stop()).toBe(0);
    await own.remove();
    other.close();
  });

  test('on the data directory of a running manager is refused; SIGTERM ends the first with 0 and frees it', async () => {
    await manager.start();
    const second = await startBy({ DATA_DIR: join(manager.directory, 'data'), PORT: '0' }).catch((error) => error);
    expect(second.code).toBe(1);
    expect(second.stderr).toMatch(/DATA_DIR .*another manager/);
    expect(await manager.stop()).toBe(0);
    await manager.start();
    await manager.kill();
    await manager.start();
  });

  test('on a store with other tables is refused, and nothing is written', async () => {
    const directory = join(manager.directory, 'other');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const file = join(directory, 'tenantry.db');
    const other = new BetterSqlite(file);
    other.pragma('journal_mode = WAL');
    other.exec(
      "CREATE TABLE schema_migrations (name TEXT); INSERT INTO schema_migrations VALUES ('0001-create-tables')",
    );
    const before = other.serialize();
    other.close();
    const end = await startBy({ DATA_DIR: directory, PORT: '0' }).catch((error) => error);
    expect(end.code).toBe(1);
    expect(end.stderr).toMatch(/The store has tables of an older schema.*an empty one: another DATA_DIR/);
    const after = new BetterSqlite(file, { readonly: true });
    expect(after.serialize().equals(before)).toBe(true);
    after.close();
  });

  test('interrupted ends by the signal, and the next start succeeds', async () => {
    const environment = { ...process.env, DATA_DIR: join(manager.directory, 'interrupted'), RUNTIME: 'process' };
    const child = spawn(process.execPath, ['src/main.ts'], {
      cwd: root,
      env: { ...environment, PORT: '0', DASHBOARD_PORT: '0' },
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('schema created')) child.kill('SIGTERM');
    });
    expect(await once(child, 'close')).toEqual([null, 'SIGTERM']);
    expect(output).not.toContain('Tenantry is ready');
    const next = await makeManagerProcess({ RUNTIME: 'process', DATA_DIR: environment.DATA_DIR });
    await next.start();
    expect(await next.stop()).toBe(0);
    await next.remove();
  });

  test('keeps its files private, and prints no secret', async () => {
    await manager.start();
    const data = join(manager.directory, 'data');
    expect((await stat(data)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(data)) {
      const found = await stat(join(data, name));
      expect([name, found.mode & 0o077]).toEqual([name, 0]);
    }
    const key = (await readFile(join(data, 'secret.key'), 'utf8')).trim();
    expect(manager.output()).not.toContain(key);
  });

  test('without ADMIN_PASSWORD keeps a generated one in a private file until it is changed, and never logs it', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'tenantry-start-'));
    const data = join(directory, 'data');
    const file = join(data, 'initial-admin-password');
    const own = await makeManagerProcess({ RUNTIME: 'process', ADMIN_PASSWORD: '', DATA_DIR: data });
    await own.start();
    expect((await stat(file)).mode & 0o077).toBe(0);
    const password = (await readFile(file, 'utf8')).trim();
    expect(password.length).toBeGreaterThan(15);
    expect(own.output()).toContain(file);
    expect(own.output()).not.toContain(password);
    const { body } = await own.call<{ access_token: string }>('POST', '/api/auth/login', {
      body: { username: 'admin', password },
    });
    own.token = body.access_token;
    const list = await own.call('GET', '/api/tenants');
    expect([list.status, list.body.code]).toEqual([403, 'password_change_required']);
    await own.stop();
    await own.start();
    own.token = body.access_token;
    expect(await readFile(file, 'utf8')).toBe(`${password}\n`);
    const change = { current_password: password, new_password: 'seven quiet harbours' };
    expect((await own.call('POST', '/api/auth/change-password', { body: change })).status).toBe(200);
    await until(
      () => readdir(data),
      (names) => !names.includes('initial-admin-password'),
    );
    await own.stop();
    await own.remove();
    await rm(directory, { recursive: true, force: true });
  });
});
