import { beforeEach, describe, expect, test } from '@jest/globals';
import express from 'express';
import { QueryTypes } from 'sequelize';
import request from 'supertest';
import { type AuditLogEntry, managerActor } from '../../../src/adapters/events/audit-log-entry.ts';
import type { SettingDefinition } from '../../../src/features/settings/definition.ts';
import { settingDefinitions } from '../../../src/features/settings/definitions.ts';
import { parseValue } from '../../../src/features/settings/parse-value.ts';
import { createSettings, type Settings } from '../../../src/features/settings/settings.ts';
import { errorMiddleware } from '../../../src/lib/http/responses/errors.ts';
import { mountRoutes } from '../../../src/lib/http/routing/mount.ts';
import type { Role } from '../../../src/lib/http/routing/roles.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { createSecretBox } from '../../../src/lib/secret-box.ts';
import { eachStore } from '../../harness/servers/mariadb.ts';

const quiet = createLogger({ level: 'silent' });

describe('definitions', () => {
  test.each(Object.entries(settingDefinitions))('%s has a valid default', (_key, definition) => {
    expect(parseValue(definition, definition.default)).toBe(String(definition.default));
    expect(definition.description).not.toBe('');
  });

  const flag: SettingDefinition = { group: 'health', type: 'boolean', default: false, description: 'x' };
  test.each([
    [true, 'true'],
    ['false', 'false'],
  ])('a boolean takes %j', (value, text) => expect(parseValue(flag, value)).toBe(text));
  test.each(['yes', 1, '', 'TRUE'])('a boolean rejects %j', (value) => expect(() => parseValue(flag, value)).toThrow());
});

eachStore('settings', (store) => {
  let settings: Settings;
  let entries: AuditLogEntry[];
  const open = (secretKey = 'k'.repeat(32)): Settings =>
    createSettings({
      store: store(),
      clock: { now: () => new Date('2026-11-20T11:00:00.007Z') },
      logger: quiet,
      writeAuditLog: async (entry) => void entries.push(entry),
      secretBox: createSecretBox(secretKey),
    });
  beforeEach(async () => {
    await store().sequelize.getQueryInterface().bulkDelete('settings', {});
    entries = [];
    settings = open();
  });

  const api = (role: Role = 'admin') =>
    request(
      express()
        .use(
          mountRoutes(settings.routes, {
            authenticate: async () => ({ userId: 'u1', username: 'ada', role, mustChangePassword: false }),
            checkAnswers: true,
          }),
        )
        .use(errorMiddleware(quiet)),
    );
  const put = (key: string, body: object) => api().put(`/api/settings/${key}`).send(body);
  const get = async (key: string) => (await api().get(`/api/settings/${key}`).expect(200)).body;

  test('lists every setting with its default', async () => {
    const { body } = await api('operator').get('/api/settings').expect(200);
    expect(body.settings.map(({ key }: { key: string }) => key)).toEqual(Object.keys(settingDefinitions));
    expect(body.settings[0]).toEqual({
      key: 'health_check_interval',
      value: '60',
      value_type: 'integer',
      description: expect.any(String),
      is_secret: false,
      updated_at: null,
      group: 'health',
      default: '60',
      unit: 'seconds',
      minimum: 10,
      maximum: 86_400,
      max_length: null,
    });
    const text = { group: 'assistant', default: '', unit: null, minimum: null, maximum: null, max_length: 200 };
    expect(await get('ai_provider_model')).toMatchObject(text);
    expect(await get('ai_provider_api_key')).toMatchObject({ value: '', is_secret: true });
  });

  test('a check reports all invalid values and changes nothing', async () => {
    const check = (values: object) => api().post('/api/settings/check').send({ values });
    const { body } = await check({ health_check_interval: 5, backup_schedule: 'nightly', nothing: 'x', unit_cpus: 1 });
    expect(body).toMatchObject({ code: 'validation_error' });
    expect(body.issues.map(({ path }: { path: string }) => path)).toEqual([
      'values.health_check_interval',
      'values.backup_schedule',
      'values.nothing',
    ]);
    await check({ health_check_interval: '30' }).expect(200, { valid: true });
    expect(await settings.read('health_check_interval')).toBe(60);
    await api('operator').post('/api/settings/check').send({ values: {} }).expect(403);
  });

  test('proposals for new tenants: a repository without credentials, and a pattern of host names', async () => {
    const accepted = {
      new_tenant_git_repo: ['https://git.example.org/app.git', 'git@git.example.org:app.git', '/srv/app.git', ''],
      new_tenant_domain: ['{slug}.example.org', 'app-{slug}.example.org', ''],
    };
    const rejected = {
      new_tenant_git_repo: [
        'https://robot:pw@git.example.org/app.git',
        'https://token@git.example.org/a',
        '--help',
        'x',
      ],
      new_tenant_domain: ['example.org', '{slug}.{slug}.org', '{slug}.example.org/x', '{slug}..org', '{name}.org'],
    };
    for (const [key, values] of Object.entries(accepted))
      for (const value of values) await put(key, { value }).expect(200);
    for (const [key, values] of Object.entries(rejected))
      for (const value of values) await put(key, { value }).expect(400);
    const { body } = await put('new_tenant_git_repo', { value: 'https://robot:pw@git.example.org/a' }).expect(400);
    expect(JSON.stringify(body)).not.toContain('robot');
  });

  test('a change takes effect immediately, is published and logged', async () => {
    expect(await settings.read('health_check_interval')).toBe(60);
    const changed: string[] = [];
    const end = settings.onChange((key) => changed.push(key));
    const { body } = await put('health_check_interval', { value: '30' }).expect(200);
    expect(body).toEqual({ key: 'health_check_interval', value: '30', updated_at: '2026-11-20T11:00:00.007Z' });
    end();
    await put('health_check_interval', { value: 45 }).expect(200);
    expect(changed).toEqual(['health_check_interval']);
    expect(await settings.read('health_check_interval')).toBe(45);
    expect(await open().read('health_check_interval')).toBe(45);
    expect(entries.at(-1)).toMatchObject({
      category: 'audit',
      message: 'Setting health_check_interval changed by ada',
      details: { user_id: 'u1', before: '30', after: '45' },
    });
    await put('unit_cpus', { value: 0.5 }).expect(200);
    expect(await settings.read('unit_cpus')).toBe(0.5);
  });

  test.each([
    ['health_check_interval', 9],
    ['health_check_interval', '86401'],
    ['health_check_interval', '60.5'],
    ['health_check_interval', 60.5],
    ['health_check_interval', ''],
    ['health_check_interval', ' 60'],
    ['health_check_interval', '0x40'],
    ['health_check_interval', true],
    ['health_check_interval', null],
    ['health_check_interval', '9'.repeat(30)],
    ['unit_cpus', 'Infinity'],
    ['unit_cpus', '1e2'],
    ['ai_provider_model', 5],
    ['ai_provider_model', 'a\nb'],
    ['ai_provider_base_url', 'ftp://host'],
    ['ai_provider_base_url', 'http://user:pw@host'],
    ['ai_provider_base_url', 'javascript:alert(1)'],
  ])('%s refuses %j', async (key, value) => {
    const { body } = await put(key, { value }).expect(400);
    expect(body).toMatchObject({ code: 'validation_error', issues: [{ path: 'value' }] });
  });

  test('rejects a malformed body; an unknown key is not found', async () => {
    await put('health_check_interval', {}).expect(400);
    await put('health_check_interval', { value: 60, extra: 1 }).expect(400);
    await put('constructor', { value: 1 }).expect(404);
    await api().get('/api/settings/none').expect(404);
  });

  test('operators can read, administrators can change', async () => {
    await api('viewer').get('/api/settings').expect(403);
    await api('operator').put('/api/settings/unit_pids').send({ value: 100 }).expect(403);
  });

  test('a secret is sealed, never shown, not overwritten by its placeholder, and cleared by an empty string', async () => {
    const { body } = await put('ai_provider_api_key', { value: 'sk-very-secret' }).expect(200);
    expect(body.value).toBe('***hidden***');
    expect(await get('ai_provider_api_key')).toMatchObject({ value: '***hidden***' });
    expect(await settings.read('ai_provider_api_key')).toBe('sk-very-secret');
    await put('ai_provider_api_key', { value: '***hidden***' }).expect(400);
    expect(await settings.read('ai_provider_api_key')).toBe('sk-very-secret');
    const stored = await store().sequelize.query('SELECT value FROM settings', { type: QueryTypes.SELECT });
    expect(JSON.stringify([stored, entries])).not.toContain('very-secret');
    await put('ai_provider_api_key', { value: '' }).expect(200);
    expect(await get('ai_provider_api_key')).toMatchObject({ value: '' });
    expect(await settings.read('ai_provider_api_key')).toBe('');
  });

  test('a new address clears the AI provider’s key, and the response reports it', async () => {
    await put('ai_provider_base_url', { value: 'https://one.example/v1' }).expect(200);
    await put('ai_provider_api_key', { value: 'sk-for-one' }).expect(200);
    const same = await put('ai_provider_base_url', { value: 'https://one.example/v1' }).expect(200);
    expect(same.body).not.toHaveProperty('forgotten');
    expect(await settings.read('ai_provider_api_key')).toBe('sk-for-one');
    const moved = await put('ai_provider_base_url', { value: 'https://two.example/v1' }).expect(200);
    expect(moved.body.forgotten).toEqual(['ai_provider_api_key']);
    expect(await settings.read('ai_provider_api_key')).toBe('');
    expect(entries.at(-1)?.details).toMatchObject({ forgotten: ['ai_provider_api_key'] });
  });

  test('a secret sealed with another key causes an error only when it is read', async () => {
    await settings.write('ai_provider_api_key', 'sk-1', managerActor);
    settings = open('another key');
    await expect(settings.read('ai_provider_api_key')).rejects.toThrow(/Can't decrypt the setting/);
    expect(await get('ai_provider_api_key')).toMatchObject({ value: '***hidden***' });
    expect(await settings.read('unit_memory_mb')).toBe(512);
    await put('ai_provider_api_key', { value: 'sk-2' }).expect(200);
    expect(await settings.read('ai_provider_api_key')).toBe('sk-2');
  });

  test('an invalid stored value is replaced by the default', async () => {
    await store()
      .sequelize.getQueryInterface()
      .bulkInsert('settings', [{ key: 'unit_pids', value: 'many', updated_at: new Date() }]);
    expect(await settings.read('unit_pids')).toBe(256);
  });
});
