import { beforeEach, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import type { AuditLogEntry } from '../../../src/adapters/events/audit-log-entry.ts';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import { type AuditLog, createAuditLog } from '../../../src/features/audit-log/audit-log.ts';
import { errorMiddleware } from '../../../src/lib/http/responses/errors.ts';
import { mountRoutes } from '../../../src/lib/http/routing/mount.ts';
import type { Role } from '../../../src/lib/http/routing/roles.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { eachStore } from '../../harness/servers/mariadb.ts';

const quiet = createLogger({ level: 'silent' });
const entry = (changes: Partial<AuditLogEntry> = {}): AuditLogEntry => ({
  level: 'info',
  category: 'system',
  message: 'something happened',
  ...changes,
});

eachStore('journal', (store, address) => {
  let auditLog: AuditLog;
  let now: Date;
  beforeEach(async () => {
    await store().sequelize.getQueryInterface().bulkDelete('log_entries', {});
    now = new Date('2026-11-20T11:00:00.123Z');
    auditLog = createAuditLog({ store: store(), clock: { now: () => now }, logger: quiet });
  });

  const get = (query = '', role: Role = 'operator') =>
    request(
      express()
        .use(
          mountRoutes(auditLog.routes, {
            authenticate: async () => ({ userId: 'v', username: 'v', role, mustChangePassword: false }),
            checkAnswers: true,
          }),
        )
        .use(errorMiddleware(quiet)),
    ).get(`/api/logs${query}`);
  const messages = async (query = ''): Promise<string[]> =>
    (await get(query).expect(200)).body.logs.map(({ message }: { message: string }) => message);

  test('viewers may not read it', async () => {
    await get('', 'viewer').expect(403);
  });

  test('operators see no network or e-mail addresses of users; administrators do', async () => {
    const user = { username: 'vera', email: 'vera@example.org' };
    const details = { username: 'ada', address: '192.0.2.7', before: user, after: { ...user, role: 'admin' } };
    await auditLog.write(entry({ category: 'audit', details }));
    const detailsFor = async (role: Role) => (await get('', role).expect(200)).body.logs[0].details;
    expect(await detailsFor('admin')).toEqual(details);
    expect(await detailsFor('operator')).toEqual({
      username: 'ada',
      before: { username: 'vera' },
      after: { username: 'vera', role: 'admin' },
    });
  });

  test('an entry has the specified fields', async () => {
    await auditLog.write(entry({ tenant: { id: 't1', slug: 'acme' }, details: { deployment_id: 'd1', n: 1 } }));
    await auditLog.write(entry());
    const { body } = await get().expect(200);
    expect(body).toMatchObject({ total: 2, limit: 100, offset: 0 });
    expect(body.logs).toEqual([
      expect.objectContaining({ tenant_id: null, tenant_slug: null, details: {} }),
      {
        id: expect.any(String),
        tenant_id: 't1',
        tenant_slug: 'acme',
        level: 'info',
        category: 'system',
        message: 'something happened',
        details: { deployment_id: 'd1', n: 1 },
        created_at: '2026-11-20T11:00:00.123Z',
      },
    ]);
  });

  test('lists newest first, even within one millisecond; pages skip nothing', async () => {
    for (let number = 0; number < 30; number += 1) await auditLog.write(entry({ message: `m${number}` }));
    const pages = [];
    for (const offset of [0, 12, 24]) pages.push(...(await messages(`?limit=12&offset=${offset}`)));
    expect(pages).toEqual(Array.from({ length: 30 }, (_, index) => `m${29 - index}`));
  });

  test('filters by tenant, level and category, also combined', async () => {
    const tenant = { id: 't1', slug: 'acme' };
    await auditLog.write(entry({ message: 'a', tenant, level: 'error', category: 'audit' }));
    await auditLog.write(entry({ message: 'b', tenant }));
    await auditLog.write(entry({ message: 'c', level: 'error' }));
    expect(await messages('?tenant_id=t1')).toEqual(['b', 'a']);
    expect(await messages('?level=error')).toEqual(['c', 'a']);
    expect(await messages('?category=system&level=info')).toEqual(['b']);
    expect(await messages('?tenant_id=t1&level=error&category=audit')).toEqual(['a']);
    expect(await messages('?tenant_id=gone')).toEqual([]);
    for (const query of ['?level=debug', '?category=other', '?limit=501', '?offset=x']) await get(query).expect(400);
  });

  test('finds the entries of a tenant by its name, ignoring accents', async () => {
    const schema = store().sequelize.getQueryInterface();
    await schema.bulkDelete('tenants', {});
    const fields = { status: 'pending', health_status: 'unknown', directory: '/data/sao', created_at: new Date() };
    const search_text = 'sao tome volunteers\nsao\nsao.example.org';
    await schema.bulkInsert('tenants', [{ id: 'sao', slug: 'sao', name: 'São Tomé', search_text, ...fields }]);
    await auditLog.write(entry({ message: 'Tenant sao is running', tenant: { id: 'sao', slug: 'sao' } }));
    await auditLog.write(entry({ message: 'Tenant other is running', tenant: { id: 'other', slug: 'other' } }));
    for (const search of ['São Tomé', 'sao tome vol', 'sao.example.org'])
      expect(await messages(`?search=${encodeURIComponent(search)}`)).toEqual(['Tenant sao is running']);
    expect(await messages('?search=no%20match')).toEqual([]);
    await schema.bulkDelete('tenants', {});
  });

  test('finds part of the message or the slug; wildcards match literally', async () => {
    await auditLog.write(entry({ message: "Login by O'Neil \\ 100%", tenant: { id: 't1', slug: 'acme' } }));
    await auditLog.write(entry({ message: 'Logout by ada' }));
    expect(await messages('?search=LOGIN')).toHaveLength(1);
    expect(await messages(`?search=${encodeURIComponent("O'Neil \\ 100%")}`)).toHaveLength(1);
    expect(await messages('?search=acm')).toHaveLength(1);
    expect(await messages('?search=log')).toHaveLength(2);
    for (const none of ['log%', 'l_g', 'log"'])
      expect(await messages(`?search=${encodeURIComponent(none)}`)).toEqual([]);
    await get(`?search=${'x'.repeat(256)}`).expect(400);
  });

  test('finds actions by and on a user', async () => {
    const did = { user_id: 'u1', username: 'ada "the" first' };
    await auditLog.write(entry({ message: 'by', details: did }));
    await auditLog.write(entry({ message: 'to', details: { username: 'bob', before: { username: did.username } } }));
    await auditLog.write(entry({ message: 'names only', details: { username: 'bob', text: 'ada "the" first' } }));
    expect(await messages(`?username=${encodeURIComponent(did.username)}`)).toEqual(['to', 'by']);
    expect(await messages('?username=ada')).toEqual([]);
  });

  test('names who stopped each tenant last, whatever the messages say', async () => {
    const changed = (id: string, after: string, username?: string) =>
      auditLog.write(
        entry({
          message: 'any words',
          tenant: { id, slug: id },
          details: { before: 'running', after, ...(username === undefined ? {} : { username }) },
        }),
      );
    const reason = '"after":"stopped"';
    await changed('t1', 'stopped', 'eve');
    await changed('t1', 'stopped', 'ada');
    await changed('t2', 'stopped');
    await changed('t3', 'running', 'ada');
    await changed('t4', 'stopped', 'ada');
    await auditLog.write(entry({ tenant: { id: 't1', slug: 't1' }, details: { after: 'error', reason } }));
    expect(await auditLog.lastStops(['t1', 't2', 't3'])).toEqual(
      new Map([
        ['t1', { username: 'ada', createdAt: now }],
        ['t2', { username: null, createdAt: now }],
      ]),
    );
  });

  test('filters by a time range, both ends inclusive', async () => {
    for (const at of ['11:00:00.000', '11:00:00.001', '12:00:00.000']) {
      now = new Date(`2026-11-20T${at}Z`);
      await auditLog.write(entry({ message: at }));
    }
    expect(await messages('?since=2026-11-20T11:00:00.001Z')).toEqual(['12:00:00.000', '11:00:00.001']);
    expect(await messages('?until=2026-11-20T12:00:00.001%2B01:00')).toEqual(['11:00:00.001', '11:00:00.000']);
    expect(await messages('?since=2026-11-20T11:00:00.001Z&until=2026-11-20T11:30:00Z')).toEqual(['11:00:00.001']);
    await get('?since=yesterday').expect(400);
  });

  test('removes entries before a time, not those at that time', async () => {
    await auditLog.write(entry({ message: 'old' }));
    now = new Date('2026-11-20T11:00:00.124Z');
    await auditLog.write(entry({ message: 'kept' }));
    expect(await auditLog.removeOlderThan(now)).toBe(1);
    expect(await messages()).toEqual(['kept']);
  });

  test('removes many old entries in batches', async () => {
    const rows = Array.from({ length: 12_000 }, (_, index) => ({
      ...{
        id: `old-${index}`,
        level: 'info',
        category: 'system',
        message: 'm',
        details: '{}',
        created_at: new Date(0),
      },
    }));
    await store().sequelize.getQueryInterface().bulkInsert('log_entries', rows);
    await auditLog.write(entry());
    expect(await auditLog.removeOlderThan(now)).toBe(12_000);
    expect((await get().expect(200)).body.total).toBe(1);
  });

  test('a failed write never fails the caller', async () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    await auditLog.write(entry({ message: 'circle', details: circle }));
    await auditLog.write(entry({ message: 'big', details: { text: 'x'.repeat(100_000) } }));
    await auditLog.write(entry({ message: `long ${'x'.repeat(100_000)}` }));
    const { body } = await get().expect(200);
    expect(body.logs.map(({ details }: { details: object }) => Object.keys(details))).toEqual([
      [],
      ['left_out'],
      ['left_out'],
    ]);
    expect(body.logs[0].message).toHaveLength(10_000);

    const closed = await openManagerStore(address(), quiet);
    await closed.close();
    await createAuditLog({ store: closed, clock: { now: () => now }, logger: quiet }).write(entry());
  });
});
