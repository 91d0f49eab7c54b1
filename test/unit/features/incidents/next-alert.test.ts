import { describe, expect, test } from '@jest/globals';
import { causeKey } from '../../../../src/features/incidents/cause.ts';
import { type Incident, type Member, severityOf } from '../../../../src/features/incidents/incident.ts';
import { coversTime, maintenanceAt } from '../../../../src/features/incidents/maintenance/window.ts';
import { type AlertRules, nextAlert } from '../../../../src/features/incidents/next-alert.ts';
import { isTimeToDiagnose, Streaks } from '../../../../src/features/incidents/streaks.ts';
import { durationText } from '../../../../src/lib/clock.ts';

const start = Date.parse('2026-11-25T20:00:00.000Z');
const at = (minutes: number): Date => new Date(start + minutes * 60_000);

const incident = (changes: Partial<Incident> = {}): Incident => ({
  id: 'i',
  openKey: 'k',
  severity: 'error',
  title: 'The node is lost',
  detail: null,
  remedy: null,
  causeCode: 'node_lost',
  causeParams: null,
  scopeKind: 'tenant',
  scopeName: 'a',
  status: 'open',
  foundByManager: 'none',
  inMaintenance: false,
  openedAt: at(0),
  acknowledgedBy: null,
  acknowledgedAt: null,
  resolvedAt: null,
  announced: 0,
  reminders: 0,
  reopened: 0,
  announcedReturns: 0,
  notifiedAt: null,
  announcedSeverity: null,
  closed: false,
  ...changes,
});

const member = (tenantId: string, changes: Partial<Member> = {}): Member => ({
  incidentId: 'i',
  tenantId,
  slug: tenantId,
  name: tenantId,
  joinedAt: at(0),
  leftAt: null,
  leftReason: null,
  batch: null,
  ...changes,
});

const rules = (minutes: number, changes: Partial<AlertRules> = {}): AlertRules => ({
  now: at(minutes),
  reminderMs: 60 * 60_000,
  groupingMs: 15_000,
  isInMaintenance: () => false,
  ...changes,
});

describe('the next alert', () => {
  test('of a tenant’s own cause is its opening, at once', () => {
    expect(nextAlert(incident(), [member('a')], rules(0))).toEqual({ kind: 'announce', batch: 1, tenantIds: ['a'] });
  });

  test('of a shared cause waits until no tenant joins, and names all of them', () => {
    const shared = incident({ scopeKind: 'node' });
    const members = Array.from({ length: 20 }, (_, index) => member(`t${index}`, { joinedAt: at(index / 60) }));
    expect(nextAlert(shared, members, rules(20 / 60))).toEqual({ kind: 'none' });
    const next = nextAlert(shared, members, rules(19 / 60 + 0.25));
    expect(next).toMatchObject({ kind: 'announce', batch: 1 });
    expect(next.kind === 'announce' && next.tenantIds).toHaveLength(20);
  });

  test('of a shared cause is not put off for ever by tenants that join', () => {
    const members = Array.from({ length: 7 }, (_, index) => member(`t${index}`, { joinedAt: at(index / 6) }));
    expect(nextAlert(incident({ scopeKind: 'proxy' }), members, rules(1))).toMatchObject({ kind: 'announce' });
  });

  test('after a crash is the stored batch again, without tenants that joined since', () => {
    const members = [member('a', { batch: 1 }), member('b')];
    expect(nextAlert(incident(), members, rules(5))).toEqual({ kind: 'announce', batch: 1, tenantIds: ['a'] });
  });

  test('names tenants that join later in one further batch', () => {
    const announced = incident({ scopeKind: 'node', announced: 1, notifiedAt: at(1) });
    const members = [member('a', { batch: 1 }), member('b', { joinedAt: at(3) }), member('c', { joinedAt: at(3) })];
    expect(nextAlert(announced, members, rules(3.1))).toEqual({ kind: 'none' });
    expect(nextAlert(announced, members, rules(3.25))).toEqual({
      kind: 'announce',
      batch: 2,
      tenantIds: ['b', 'c'],
    });
  });

  test('is a reminder each hour while it lasts, counted from the last one', () => {
    const members = [member('a', { batch: 1 })];
    const announced = incident({ announced: 1, notifiedAt: at(0) });
    expect(nextAlert(announced, members, rules(59))).toEqual({ kind: 'none' });
    expect(nextAlert(announced, members, rules(60))).toEqual({ kind: 'remind', count: 1 });
    // A manager that was down for hours reminds once.
    const reminded = { ...announced, reminders: 1, notifiedAt: at(300) };
    expect(nextAlert(reminded, members, rules(359))).toEqual({ kind: 'none' });
    expect(nextAlert(reminded, members, rules(360))).toEqual({ kind: 'remind', count: 2 });
    expect(nextAlert(announced, members, rules(600, { reminderMs: 0 }))).toEqual({ kind: 'none' });
  });

  test('is nothing once acknowledged, until it is resolved', () => {
    const members = [member('a', { batch: 1 }), member('b')];
    const acknowledged = incident({ announced: 1, notifiedAt: at(0), status: 'acknowledged' });
    expect(nextAlert(acknowledged, members, rules(600))).toEqual({ kind: 'none' });
    expect(nextAlert({ ...acknowledged, status: 'resolved' }, members, rules(600))).toEqual({ kind: 'resolve' });
  });

  test('is nothing for an incident that ended before its announcement', () => {
    expect(nextAlert(incident({ status: 'resolved' }), [member('a')], rules(1))).toEqual({ kind: 'close' });
    expect(nextAlert(incident({ status: 'resolved', announced: 1, closed: true }), [], rules(1))).toEqual({
      kind: 'none',
    });
  });

  test('waits for the end of a maintenance window, and leaves out the tenants within one', () => {
    const isInMaintenance = (tenantId: string | null) => tenantId === 'a';
    expect(nextAlert(incident(), [member('a')], rules(5, { isInMaintenance }))).toEqual({ kind: 'none' });
    expect(nextAlert(incident(), [member('a'), member('b')], rules(5, { isInMaintenance }))).toMatchObject({
      tenantIds: ['b'],
    });
    expect(nextAlert(incident(), [member('a')], rules(6))).toMatchObject({ tenantIds: ['a'] });
    const announced = incident({ announced: 1, notifiedAt: at(0) });
    expect(nextAlert(announced, [member('a', { batch: 1 })], rules(90, { isInMaintenance }))).toEqual({ kind: 'none' });
  });

  test('of the manager’s own problem needs no tenant', () => {
    const own = incident({ scopeKind: 'disk', foundByManager: 'failing' });
    expect(nextAlert(own, [], rules(1))).toEqual({ kind: 'announce', batch: 1, tenantIds: [] });
    expect(nextAlert(own, [], rules(1, { isInMaintenance: (id) => id === null }))).toEqual({ kind: 'none' });
  });
});

describe('a maintenance window', () => {
  const window = { startsAt: at(0), endsAt: at(60), weekly: false, timeZone: 'Europe/Madrid' };

  test('covers its time, once or each week', () => {
    const week = 7 * 24 * 60;
    const covered = (minutes: number, weekly: boolean) => coversTime({ ...window, weekly }, at(minutes));
    expect([-1, 0, 59, 60, week + 30].map((minutes) => covered(minutes, false))).toEqual([
      false,
      true,
      true,
      false,
      false,
    ]);
    expect([-1, 30, 60, week - 1, week + 30, week + 60].map((minutes) => covered(minutes, true))).toEqual([
      false,
      true,
      false,
      false,
      true,
      false,
    ]);
  });

  test('that is weekly follows the clock of its zone through daylight saving', () => {
    // 21:00 to 22:00 in Madrid: UTC+1 in November, UTC+2 in July.
    const summer = (time: string) => coversTime({ ...window, weekly: true }, new Date(`2027-07-07T${time}:00.000Z`));
    expect(['18:59', '19:00', '19:59', '20:00'].map(summer)).toEqual([false, true, true, false]);
  });

  test('covers one tenant, or all and the manager', () => {
    const more = { id: 'w', reason: 'r', createdBy: 'u', createdAt: at(0) };
    const one = maintenanceAt([{ ...window, ...more, tenantId: 'a' }], at(1));
    expect(['a', 'b', null].map(one)).toEqual([true, false, false]);
    const all = maintenanceAt([{ ...window, ...more, tenantId: null }], at(1));
    expect(['a', 'b', null].map(all)).toEqual([true, true, true]);
  });
});

describe('causes', () => {
  const keyOf = (kind: string, name: string, code: string) => causeKey({ code, scope: { kind, name } });

  test('of one engine, proxy or node are one incident; others are grouped by place and code', () => {
    expect(keyOf('engine', 'docker', 'engine_unavailable')).toBe(keyOf('engine', 'local', 'engine_hangs'));
    expect(keyOf('node', 'n1', 'node_lost')).toBe(keyOf('node', 'n1', 'no_storage'));
    expect(keyOf('node', 'n1', 'node_lost')).not.toBe(keyOf('node', 'n2', 'node_lost'));
    expect(keyOf('database_server', 'db', 'unreachable')).not.toBe(keyOf('database_server', 'db', 'full'));
    expect(keyOf('tenant', 'a', 'crash')).not.toBe(keyOf('tenant', 'b', 'crash'));
    expect(keyOf('version', 'x'.repeat(500), 'crash')).toHaveLength(64);
  });

  test('of several tenants or of the infrastructure are critical', () => {
    const severity = (kind: string, tenants: number, ofOne: 'error' | 'warning' = 'error') =>
      severityOf({ scope: { kind, name: 'a' }, severity: ofOne }, tenants);
    expect([severity('tenant', 1), severity('tenant', 2), severity('node', 1)]).toEqual([
      'error',
      'critical',
      'critical',
    ]);
    expect([severity('disk', 1), severity('disk', 0, 'warning'), severity('version', 3, 'warning')]).toEqual([
      'critical',
      'warning',
      'warning',
    ]);
  });
});

test('an incident that returned is announced at once after its end was, then once an hour, and its end when it has not returned', () => {
  const returned = (changes: Partial<Incident>) => next(incident({ announced: 1, reopened: 7, ...changes }), 30);
  expect(returned({ notifiedAt: null })).toEqual({ kind: 'flap', count: 7 });
  expect(returned({ notifiedAt: at(-29) })).toEqual({ kind: 'none' });
  expect(returned({ notifiedAt: at(-30) })).toEqual({ kind: 'flap', count: 7 });
  expect(returned({ notifiedAt: at(-30), announcedReturns: 7 })).toEqual({ kind: 'none' });
  expect(returned({ status: 'acknowledged', notifiedAt: null })).toEqual({ kind: 'none' });
  expect(returned({ status: 'resolved', resolvedAt: at(1) })).toEqual({ kind: 'none' });
  expect(returned({ status: 'resolved', resolvedAt: at(0) })).toEqual({ kind: 'resolve' });
  expect(returned({ status: 'resolved', resolvedAt: at(29), reopened: 0 })).toEqual({ kind: 'resolve' });

  function next(one: Incident, minutes: number) {
    const rules = { now: at(minutes), reminderMs: 0, groupingMs: 0, isInMaintenance: () => false };
    return nextAlert(one, [member('a', { batch: 1 })], rules);
  }
});

test('consecutive checks are counted until one differs', () => {
  const streaks = new Streaks();
  const bad = (minutes: number) => streaks.bad('a', at(minutes));
  const good = (name: string, minutes = 0) => streaks.good(name, at(minutes));
  // Two within four seconds count once.
  expect([bad(0), bad(1 / 60), bad(1), bad(2)]).toEqual([1, 1, 2, 3]);
  expect([good('a', 3), good('a', 4), good('b')]).toEqual([
    { good: 1, sinceMs: 0 },
    { good: 2, sinceMs: 60_000 },
    { good: 1, sinceMs: 0 },
  ]);
  expect(bad(5)).toBe(1);
  expect(streaks.failing()).toEqual(['a']);
  streaks.forget('a');
  expect([streaks.has('a'), streaks.names()]).toEqual([false, ['b']]);
  expect([2, 3, 4, 5, 6, 10, 15, 20].filter(isTimeToDiagnose)).toEqual([3, 5, 10, 20]);
});

test('durations are short', () => {
  expect([12, 720, 3_600, 11_100, 180_000].map((seconds) => durationText(seconds * 1_000))).toEqual([
    '12 s',
    '12 min',
    '1 h',
    '3 h 5 min',
    '2 d 2 h',
  ]);
});
