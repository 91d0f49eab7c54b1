import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { makeFixtureRepository } from '../../harness/data/fixture-repository.ts';
import { deploy, makeTenant, setEnvironment } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

/** A file that exists only if one of the payloads was executed. */
const trace = join(tmpdir(), `tenantry-pwned-${process.pid}`);
const payloads = [
  `x; touch ${trace}`,
  `$(touch ${trace})`,
  `\`touch ${trace}\``,
  `| touch ${trace}`,
  `x\ntouch ${trace}\n`,
  `'"; touch ${trace} #`,
  '../../../../etc/cron.d/x',
  '--upload-pack=touch',
  `' OR 1=1; DROP TABLE tenants; --`,
  '\u0000',
  '%0atouch',
];

function injection(runtime: 'process' | 'docker'): void {
  let directory: string;
  let repository: Awaited<ReturnType<typeof makeFixtureRepository>>;
  let app: App;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-injection-'));
    repository = await makeFixtureRepository(join(directory, 'repository'));
    app = await startApp({ environment: { RUNTIME: runtime } });
  });
  afterAll(async () => {
    await app.stop();
    await rm(directory, { recursive: true, force: true });
  });

  const untouched = async (): Promise<void> => {
    await expect(access(trace)).rejects.toThrow();
    expect((await app.call('GET', '/api/tenants')).status).toBe(200);
  };

  test.each(['slug', 'domain', 'api_domain', 'git_repo'])('%s executes no payload', async (field) => {
    for (const payload of payloads) {
      const fields = {
        name: 'A',
        slug: 'good',
        domain: 'good.example.org',
        api_domain: 'api.good.example.org',
        [field]: payload,
      };
      const { status, body } = await app.call('POST', '/api/tenants', { body: fields });
      expect([payload, status, body.code]).toEqual([payload, 400, 'validation_error']);
    }
    for (const address of [
      'ext::sh -c touch',
      'fd::17',
      '-oProxyCommand=touch',
      'git@-oProxyCommand=x:y',
      'ssh://-oProxyCommand=x/y',
      'file:///x\ny',
    ]) {
      const fields = {
        name: 'A',
        slug: 'good',
        domain: 'good.example.org',
        api_domain: 'api.good.example.org',
        git_repo: address,
      };
      expect([address, (await app.call('POST', '/api/tenants', { body: fields })).status]).toEqual([address, 400]);
    }
    await untouched();
  });

  test('keys of custom_env that could take over a unit are rejected; search and filters are inert', async () => {
    const tenant = await makeTenant(app, repository.path);
    const keys = [
      ...payloads,
      'PATH',
      'NODE_OPTIONS',
      'LD_PRELOAD',
      'LD_LIBRARY_PATH',
      'PORT',
      'DATABASE_URL',
      'API_KEYS',
      'SECRET_KEY',
      'APP_COMMIT',
      'lower',
    ];
    for (const key of keys) {
      const text = `{"custom_env":{${JSON.stringify(key)}:"x"}}`;
      const { status } = await app.call('PUT', `/api/tenants/${tenant.id}/config`, { body: JSON.parse(text) });
      expect([key, status]).toEqual([key, 400]);
    }
    for (const payload of payloads) {
      const query = encodeURIComponent(payload);
      expect((await app.call('GET', `/api/tenants?search=${query}`)).status).toBe(payload === '\u0000' ? 400 : 200);
      expect((await app.call('GET', `/api/tenants?status=${query}`)).status).toBe(400);
      expect((await app.call('GET', `/api/logs?category=${query}`)).status).toBe(400);
    }
    await untouched();
  });

  test('values of custom_env, names and notes reach the units unchanged, and execute nothing; versions are rejected', async () => {
    const texts = payloads.filter((payload) => !payload.includes('\u0000'));
    const tenant = await makeTenant(app, repository.path, { name: texts[1], notes: texts.join('\n') });
    const environment = Object.fromEntries(texts.map((text, index) => [`PAYLOAD_${index}`, text]));
    await setEnvironment(app, tenant.id, environment);
    for (const payload of payloads) {
      const end = await deploy(app, tenant.id, { target_version: payload }).catch((error: Error) => ({
        status: error.message,
        error: null,
      }));
      expect(end.status).not.toBe('success');
    }
    const end = await deploy(app, tenant.id);
    expect(end).toMatchObject({ status: 'success', error: null });
    const seen = (await (await fetch(`http://127.0.0.1:${tenant.backend_port}/env`)).json()) as Record<string, string>;
    expect(seen).toMatchObject({ ...environment, APP_NAME: texts[1] });
    await app.call('POST', `/api/tenants/${tenant.id}/restart`);
    await untouched();
    await app.call('DELETE', `/api/tenants/${tenant.id}?remove_files=true`);
  });
}

describe('payloads on local processes', () => injection('process'));
describeWithEngine('payloads on Docker', () => injection('docker'));
