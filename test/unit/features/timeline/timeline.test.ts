import { beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import fc from 'fast-check';
import request from 'supertest';
import { type LogTopic, logTopics } from '../../../../src/adapters/events/audit-log-entry.ts';
import { createAuditLog } from '../../../../src/features/audit-log/audit-log.ts';
import { createDeploymentStore } from '../../../../src/features/deployments/store.ts';
import { openedFor } from '../../../../src/features/incidents/incident.ts';
import { createIncidentStore } from '../../../../src/features/incidents/store.ts';
import { timelineKinds } from '../../../../src/features/timeline/schema.ts';
import { createTimeline } from '../../../../src/features/timeline/timeline.ts';
import { mountRoutes } from '../../../../src/lib/http/routing/mount.ts';
import type { Role } from '../../../../src/lib/http/routing/roles.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { addTenant } from '../../../harness/data/tenant-row.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

interface Answer {
  entries: { id: string; at: string; kind: string; title: string; tenant: { id: string; name: string } | null }[];
  next: string | null;
  kinds: string[];
}

/** Few enough that many entries have the same time. */
const milliseconds = 4;
const start = Date.parse('2026-11-25T20:00:00.000Z');
const tenants = ['one', 'two'];

eachStore('timeline', (store) => {
  let ask: (path: string, role?: Role) => Promise<Answer>;
  /** What was stored: its time, kind, and tenant. */
  const stored: { at: number; kind: string; tenant: string | null; isOfIncident?: boolean }[] = [];

  beforeAll(async () => {
    let now = new Date(start);
    const clock = { now: () => now };
    const logger = createLogger({ level: 'silent' });
    const auditLog = createAuditLog({ store: store(), clock, logger });
    const operations = createDeploymentStore(store());
    const incidents = createIncidentStore(store());
    for (const id of tenants) await addTenant(store(), id);
    const incident = openedFor(
      {
        code: 'node_problem',
        title: 'Node lost',
        scope: { kind: 'node', name: 'n1' },
        remedy: null,
        severity: 'error',
        diagnosis: null,
      },
      now,
    );
    await incidents.transaction(async (within) => {
      await incidents.insert(incident, within);
      const member = { slug: 'one', name: 'One', joinedAt: now, leftAt: null, leftReason: null, batch: null };
      await incidents.saveMember({ incidentId: incident.id, tenantId: 'one', ...member }, within);
    });

    for (let index = 0; index < 60; index += 1) {
      const at = start + (index % milliseconds);
      now = new Date(at);
      const tenant = [...tenants, null][index % 3] ?? null;
      const topic = logTopics[index % logTopics.length] as LogTopic;
      await auditLog.write({
        level: 'info',
        category: 'system',
        ...(index % 7 === 0 ? {} : { topic }),
        message: `entry ${index}`,
        ...(tenant === null ? {} : { tenant: { id: tenant, slug: tenant } }),
      });
      if (index % 7 > 0) stored.push({ at, kind: topic, tenant });
      if (index % 2 > 0) continue;
      const subject = tenants[(index / 2) % 2] ?? '';
      const kind = index % 4 === 0 ? 'deploy' : 'backup';
      await operations.journal.insert({
        ...{ id: newId(), kind, subject, input: {}, state: {}, status: 'success', phase: 'settle', outcome: 'success' },
        ...{
          steps: [],
          error: null,
          attempts: 1,
          cancelRequestedAt: null,
          startedAt: now,
          finishedAt: now,
          createdAt: now,
        },
      });
      stored.push({ at, kind: kind === 'deploy' ? 'deployment' : 'backup', tenant: subject });
      if (index % 10 > 0) continue;
      const entry = { incidentId: incident.id, at: now, tenantId: null, username: null, text: null, diagnosis: null };
      await incidents.addEntry({ ...entry, kind: 'acknowledged' });
      await incidents.addEntry({ ...entry, kind: 'note' });
      stored.push({ at, kind: 'node', tenant: null, isOfIncident: true });
    }

    const { routes } = createTimeline({
      auditLog,
      operations,
      incidents,
      tenants: {
        get: async (id) => ({ id }) as never,
        namesOf: async (ids) => new Map(ids.map((id) => [id, `Tenant ${id}`])),
      },
    });
    ask = async (path, role = 'admin') => {
      const authenticate = async () => ({ userId: 'u', username: 'u', role, mustChangePassword: false });
      const app = express().use(mountRoutes(routes, { authenticate, checkAnswers: true }));
      return (await request(app).get(`/api${path}`).expect(200)).body;
    };
  });

  async function allPages(path: string, limit: number, role?: Role): Promise<Answer['entries']> {
    const found: Answer['entries'] = [];
    for (let before = ''; ; ) {
      const { entries, next } = await ask(`${path}limit=${limit}${before}`, role);
      found.push(...entries);
      expect(entries.length).toBeLessThanOrEqual(limit);
      if (next === null) return found;
      expect(entries).toHaveLength(limit);
      before = `&before=${encodeURIComponent(next)}`;
    }
  }

  test('pages of any size have every entry once, in the same order', async () => {
    const whole = await allPages('/timeline?', 200);
    expect(whole).toHaveLength(stored.length);
    expect(new Set(whole.map(({ id }) => id)).size).toBe(stored.length);
    expect(whole.map(({ at }) => at)).toEqual(
      whole
        .map(({ at }) => at)
        .toSorted()
        .reverse(),
    );
    for (const limit of [1, 2, 3, 7, 50]) expect(await allPages('/timeline?', limit)).toEqual(whole);
  }, 60_000);

  test('any filter finds what was stored, whatever the size of pages', async () => {
    const filter = fc.record({
      kinds: fc.uniqueArray(fc.constantFrom(...timelineKinds), { minLength: 1 }),
      from: fc.integer({ min: 0, max: milliseconds }),
      to: fc.integer({ min: -1, max: milliseconds }),
      tenant: fc.constantFrom(undefined, ...tenants),
      limit: fc.integer({ min: 1, max: 20 }),
    });
    await fc.assert(
      fc.asyncProperty(filter, async ({ kinds, from, to, tenant, limit }) => {
        const [first, last] = [start + from, start + to];
        const times = `from=${new Date(first).toISOString()}&to=${new Date(last).toISOString()}`;
        const query = `?kinds=${kinds.join(',')}&${times}&${tenant ? `tenant_id=${tenant}&` : ''}`;
        const found = await allPages(`/timeline${query}`, limit);
        const wanted = stored.filter(
          (entry) =>
            entry.at >= first &&
            entry.at <= last &&
            kinds.some((kind) => kind === entry.kind) &&
            // They are never about a tenant.
            (tenant === undefined || !['user', 'sign_in'].includes(entry.kind)) &&
            // An entry about all tenants of an incident is in the timeline of each.
            (tenant === undefined || entry.tenant === tenant || (entry.isOfIncident && tenant === 'one')),
        );
        expect(found.map(({ at, kind }) => `${at} ${kind}`).sort()).toEqual(
          wanted.map(({ at, kind }) => `${new Date(at).toISOString()} ${kind}`).sort(),
        );
      }),
      { numRuns: 25 },
    );
  }, 60_000);

  test('viewers see no entry that is only in the audit log', async () => {
    const { kinds } = await ask('/timeline', 'viewer');
    const found = await allPages('/timeline?', 50, 'viewer');
    expect(new Set(found.map(({ kind }) => kind))).toEqual(new Set(['health', 'deployment', 'backup', 'node']));
    expect(kinds).not.toContain('settings');
    expect(found.filter(({ kind }) => kind === 'node')).toHaveLength(stored.filter((one) => one.isOfIncident).length);
    expect((await ask('/timeline?kinds=settings,sign_in', 'viewer')).entries).toEqual([]);
    expect((await ask('/timeline?kinds=settings', 'operator')).entries).not.toEqual([]);
  });
});
