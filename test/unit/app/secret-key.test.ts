import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { ConfigError } from '../../../src/app/config/config.ts';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { type App, type AppOptions, startApp } from '../../harness/app/app.ts';
import { until } from '../../harness/data/tenants.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';

eachDatabase('the key that encrypts secrets', (newDatabase) => {
  let directory: string;
  let url: string;
  let key: string;
  let tenant: { id: string; directory: string };
  let bulkId: string;
  const keyFile = (): string => join(directory, 'data', 'secret.key');
  const start = (environment: Record<string, string> = {}, options: AppOptions = {}) =>
    startApp({ directory, environment: { DATABASE_URL: url, ...environment }, ...options });
  const inStore = async (sql: string): Promise<void> => {
    const store = await openManagerStore(url, createLogger({ level: 'silent' }));
    await store.sequelize.query(sql).finally(() => store.close());
  };
  /** The results of a bulk operation that has ended. */
  const ended = async (app: App, id: string) =>
    (
      await until(
        async () => (await app.call<{ finished_at: string | null; results: object[] }>('GET', `/api/bulk/${id}`)).body,
        ({ finished_at }) => finished_at !== null,
      )
    ).results;
  const environmentFile = async () => parseEnv(await readFile(join(tenant.directory, '.env'), 'utf8'));

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-key-'));
    url = await newDatabase();
    const app = await start();
    const made = await app.call<{ id: string }>('POST', '/api/tenants', {
      body: {
        ...{ name: 'Acme', slug: 'acme', domain: 'acme.example', api_domain: 'api.acme.example' },
        git_repo: 'https://robot:t0ken@git.example/app.git',
      },
    });
    const path = `/api/tenants/${made.body.id}`;
    tenant = (await app.call<typeof tenant>('GET', path)).body;
    await app.call('PUT', `${path}/config`, { body: { custom_env: { MAILER: 'smtp://mail.example' } } });
    await app.call('PUT', '/api/settings/ai_provider_api_key', { body: { value: 'sk-1' } });
    expect((await app.call('POST', `${path}/config/regenerate-env`)).status).toBe(200);
    const parameters = { config: { app_name: 'All of them' } };
    const body = { action: 'configure', tenant_ids: [tenant.id], parameters };
    bulkId = (await app.call<{ id: string }>('POST', '/api/bulk', { body })).body.id;
    expect(await ended(app, bulkId)).toMatchObject([{ status: 'success' }]);
    await app.stop();
    // As after a failure, which can be retried.
    await inStore("UPDATE bulk_results SET status = 'failed'");
    key = await readFile(keyFile(), 'utf8');
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test('a lost key is not replaced: startup ends and says how to continue', async () => {
    await rm(keyFile());
    const refused = start();
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(
      /SECRET_KEY does not fit the store.*\n.*secret\.key.*\n.*npm start -- --forget-secrets/,
    );
    await expect(stat(keyFile())).rejects.toThrow('ENOENT');
  });

  test('another key ends startup, even if the store has no check value yet', async () => {
    await expect(start({ SECRET_KEY: 'x'.repeat(32) })).rejects.toThrow("(7 can't be decrypted)");
    await writeFile(keyFile(), key);
    await inStore("DELETE FROM store_facts WHERE name = 'secret_key_check'");
    await expect(start({ SECRET_KEY: 'x'.repeat(32) })).rejects.toThrow('SECRET_KEY does not fit the store');
  });

  test('with the restored key the manager starts with all of its secrets', async () => {
    const app = await start();
    const config = await app.call('GET', `/api/tenants/${tenant.id}/config`);
    expect(config.body.custom_env).toEqual({ MAILER: 'smtp://mail.example' });
    await app.stop();
  });

  test('--forget-secrets lists secrets that must be entered again, clears them and starts', async () => {
    const before = await environmentFile();
    await rm(keyFile());
    let lines = '';
    const printed = jest.spyOn(console, 'log').mockImplementation((text) => {
      lines += String(text);
    });
    const app = await start({}, { forgetSecrets: true }).finally(() => printed.mockRestore());
    try {
      const config = await app.call('GET', `/api/tenants/${tenant.id}/config`);
      expect(config.body.custom_env).toEqual({});
      const history = await app.call('GET', `/api/tenants/${tenant.id}/config/history`);
      expect(history.body).toMatchObject({ revisions: [{ revision: 1 }], total: 1 });
      expect((await app.call('GET', `/api/tenants/${tenant.id}`)).body.git_repo).toBe('https://git.example/app.git');
      expect((await app.call('GET', '/api/settings/ai_provider_api_key')).body.value).toBe('');
      expect((await app.call('POST', `/api/tenants/${tenant.id}/config/regenerate-env`)).status).toBe(200);
      const { SECRET_KEY, API_KEYS } = await environmentFile();
      expect([SECRET_KEY, API_KEYS]).toEqual([before.SECRET_KEY, before.API_KEYS]);
      const retried = await app.call<{ id: string }>('POST', `/api/bulk/${bulkId}/retry`);
      expect(await ended(app, retried.body.id)).toMatchObject([
        {
          status: 'failed',
          error: { code: 'invalid_state', detail: expect.stringContaining('SECRET_KEY that is lost') },
        },
      ]);
    } finally {
      await app.stop();
    }
    for (const line of [
      'Setting ai_provider_api_key: set it again',
      'Tenant acme: set git_repo again',
      'Tenant acme: set custom_env again',
      'Tenant acme: revision 2 of its configuration',
      'Tenant acme: its own keys',
      `Bulk operation ${bulkId}: start a new one with its values`,
    ])
      expect(lines).toContain(line);
    expect(lines).not.toMatch(/t0ken|sk-1/);
    await (await start()).stop();
  });
});
