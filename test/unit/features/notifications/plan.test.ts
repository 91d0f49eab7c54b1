import { describe, expect, test } from '@jest/globals';
import type { Alert } from '../../../../src/features/notifications/alert.ts';
import {
  type Listeners,
  type PlannedRule,
  type PlannedUser,
  planDeliveries,
} from '../../../../src/features/notifications/rules/plan.ts';
import { endOfQuietHours, quietHours } from '../../../../src/features/notifications/rules/quiet-hours.ts';

const night = quietHours.parse({ from: '22:00', to: '07:00', time_zone: 'America/Chicago', except: 'critical' });
/** 14:03 in Chicago. */
const now = new Date('2026-11-25T20:03:00Z');
const tenant = { id: 't1', slug: 'acme', name: 'Acme', tags: ['Pilots'] };

const alertOf = (changes: Partial<Alert> = {}): Alert => ({
  event: 'incident',
  severity: 'error',
  key: 'incident/1/opened',
  title: 'Acme is down',
  text: 'It crashed.',
  link: '/incidents/1',
  tenants: [tenant],
  at: now,
  ...changes,
});
const ruleOf = (changes: Partial<PlannedRule> = {}): PlannedRule => ({
  enabled: true,
  events: [],
  severity: 'info',
  tags: [],
  tenantIds: [],
  channelIds: ['slack'],
  userIds: [],
  digestMinutes: null,
  quietHours: null,
  ...changes,
});
const userOf = (id: string, changes: Partial<PlannedUser> = {}): PlannedUser => ({
  id,
  role: 'viewer',
  address: `${id}@example.org`,
  events: [],
  severity: 'info',
  tags: [],
  tenantIds: [],
  email: 'none',
  quietHours: null,
  ...changes,
});
const channels = [
  { id: 'slack', kind: 'slack' },
  { id: 'mail', kind: 'email' },
];
const plan = (alert: Alert, listeners: Partial<Listeners>, at = now, severity = alert.severity) =>
  planDeliveries(
    alert,
    {
      rules: [],
      users: [],
      channels,
      digestMinutes: 60,
      recentlySent: () => 0,
      timesOfCause: () => [],
      ...listeners,
    },
    at,
    severity,
  );
/** When the channel of one rule gets an alert. */
const timeOf = (alert: Alert, rule: Partial<PlannedRule>, at = now): string | undefined =>
  plan(alert, { rules: [ruleOf(rule)] }, at).deliveries[0]?.notBefore.toISOString();

describe('rules', () => {
  const targetsOf = (alert: Alert, rule: Partial<PlannedRule>): string[] =>
    plan(alert, { rules: [ruleOf(rule)] }).deliveries.map(({ target }) => target);

  test('choose by event, severity, tag and tenant; empty lists choose all', () => {
    expect(targetsOf(alertOf(), {})).toEqual(['slack']);
    expect(targetsOf(alertOf(), { events: ['incident', 'disk'] })).toEqual(['slack']);
    expect(targetsOf(alertOf(), { events: ['disk'] })).toEqual([]);
    expect(targetsOf(alertOf(), { severity: 'error' })).toEqual(['slack']);
    expect(targetsOf(alertOf(), { severity: 'critical' })).toEqual([]);
    expect(targetsOf(alertOf(), { tags: ['PILOTS'] })).toEqual(['slack']);
    expect(targetsOf(alertOf(), { tags: ['Ring 2'] })).toEqual([]);
    expect(targetsOf(alertOf({ tenants: [] }), { tags: ['Pilots'] })).toEqual([]);
    expect(targetsOf(alertOf(), { tenantIds: ['t1', 't2'] })).toEqual(['slack']);
    expect(targetsOf(alertOf(), { tenantIds: ['t2'] })).toEqual([]);
    expect(targetsOf(alertOf(), { enabled: false })).toEqual([]);
  });

  test('that name the same channel send one message, at the earliest time; channels that are gone get none', () => {
    const rules = [ruleOf({ channelIds: ['slack', 'gone'], digestMinutes: 120 }), ruleOf({ digestMinutes: 10 })];
    expect(plan(alertOf({ severity: 'info' }), { rules }).deliveries).toEqual([
      expect.objectContaining({ target: 'slack', notBefore: new Date('2026-11-25T20:10:00Z') }),
    ]);
  });

  test('apply to the end of an incident with its severity', () => {
    const end = alertOf({ key: 'incident/1/resolved', severity: 'info' });
    const rules = [ruleOf({ severity: 'critical' })];
    expect(plan(end, { rules }).deliveries).toEqual([]);
    expect(plan(end, { rules }, now, 'critical').deliveries).toEqual([
      expect.objectContaining({ notBefore: now, digestKey: null }),
    ]);
  });

  test('do not apply to what is about one user', () => {
    const users = [userOf('ann', { email: 'account' }), userOf('bob', { email: 'all', role: 'admin' })];
    const signIn = alertOf({ event: 'sign_in', severity: 'info', userId: 'ann', tenants: [] });
    const rules = [ruleOf({ userIds: ['bob'], quietHours: night })];
    const { inbox, deliveries } = plan(signIn, { rules, users });
    expect(inbox).toEqual(['ann']);
    expect(deliveries).toEqual([
      {
        target: 'mail/ann@example.org',
        channelId: 'mail',
        recipient: 'ann@example.org',
        notBefore: now,
        digestKey: null,
      },
    ]);
    expect(plan(alertOf({ event: 'credentials' }), { rules, users })).toEqual({ inbox: [], deliveries: [] });
  });
});

describe('users', () => {
  const inboxOf = (alert: Alert, ...users: PlannedUser[]): string[] => plan(alert, { users }).inbox;

  test('hear what they chose, and what a rule chose for them', () => {
    expect(inboxOf(alertOf(), userOf('ann'), userOf('bob', { severity: 'critical' }))).toEqual(['ann']);
    expect(inboxOf(alertOf(), userOf('ann', { tags: ['pilots'] }), userOf('bob', { tags: ['Ring 2'] }))).toEqual([
      'ann',
    ]);
    expect(inboxOf(alertOf(), userOf('ann', { tenantIds: ['t1'] }), userOf('bob', { tenantIds: ['t2'] }))).toEqual([
      'ann',
    ]);
    expect(inboxOf(alertOf(), userOf('ann', { tenantIds: ['t1'], tags: ['Ring 2'] }))).toEqual([]);
    expect(inboxOf(alertOf({ tenants: [] }), userOf('ann', { tenantIds: ['t1'] }))).toEqual([]);
    expect(inboxOf(alertOf(), userOf('ann', { events: ['disk'] }))).toEqual([]);
    const silent = userOf('ann', { severity: null, email: 'all' });
    expect(inboxOf(alertOf(), silent)).toEqual([]);
    const named = plan(alertOf(), { users: [silent], rules: [ruleOf({ channelIds: [], userIds: ['ann'] })] });
    expect(named).toMatchObject({ inbox: ['ann'], deliveries: [{ target: 'mail/ann@example.org', notBefore: now }] });
  });

  test('hear only what their role may see', () => {
    const everyone = (['viewer', 'operator', 'admin'] as const).map((role) => userOf(role, { role }));
    expect(inboxOf(alertOf(), ...everyone)).toEqual(['viewer', 'operator', 'admin']);
    expect(inboxOf(alertOf({ event: 'disk', tenants: [] }), ...everyone)).toEqual(['operator', 'admin']);
    const rules = [ruleOf({ channelIds: [], userIds: ['viewer'] })];
    expect(plan(alertOf({ event: 'node' }), { users: everyone, rules }).inbox).toEqual(['operator', 'admin']);
  });

  test('get e-mail only where they want it, with an address and a channel for it', () => {
    const users = [
      userOf('all', { email: 'all' }),
      userOf('account', { email: 'account' }),
      userOf('none'),
      userOf('homeless', { email: 'all', address: null }),
    ];
    expect(plan(alertOf(), { users }).deliveries.map(({ recipient }) => recipient)).toEqual(['all@example.org']);
    expect(plan(alertOf(), { users, channels: channels.slice(0, 1) })).toMatchObject({ deliveries: [] });
  });
});

describe('windows', () => {
  test('collect what is less than an error until their end, which belongs to the next one', () => {
    const at = (time: string, digestMinutes: number | null = null) =>
      timeOf(alertOf({ severity: 'warning' }), { digestMinutes }, new Date(time));
    expect(at('2026-11-25T20:03:00Z')).toBe('2026-11-25T21:00:00.000Z');
    expect(at('2026-11-25T20:59:59.999Z')).toBe('2026-11-25T21:00:00.000Z');
    expect(at('2026-11-25T21:00:00Z')).toBe('2026-11-25T22:00:00.000Z');
    expect(at('2026-11-25T20:03:00Z', 15)).toBe('2026-11-25T20:15:00.000Z');
    expect(at('2026-11-25T20:03:00Z', 0)).toBe('2026-11-25T20:03:00.000Z');
    expect(timeOf(alertOf({ severity: 'error' }), {})).toBe(now.toISOString());
  });

  test('have one key for each target and end', () => {
    const rules = [ruleOf(), ruleOf({ channelIds: ['mail'] })];
    const keysAt = (time: string) =>
      plan(alertOf({ severity: 'info' }), { rules }, new Date(time)).deliveries.map(({ digestKey }) => digestKey);
    expect(keysAt('2026-11-25T20:03:00Z')).toEqual(['slack@2026-11-25T21:00:00.000Z', 'mail@2026-11-25T21:00:00.000Z']);
    expect(keysAt('2026-11-25T20:58:00Z')).toEqual(keysAt('2026-11-25T20:03:00Z'));
    expect(keysAt('2026-11-25T21:01:00Z')).not.toEqual(keysAt('2026-11-25T20:03:00Z'));
  });

  test('gather a flood of errors, too', () => {
    const rules = [ruleOf()];
    const flood = (count: number) => plan(alertOf(), { rules, recentlySent: () => count }).deliveries[0];
    expect(flood(4)).toMatchObject({ notBefore: now, digestKey: null });
    expect(flood(5)).toMatchObject({ digestKey: 'slack@2026-11-25T20:04:00.000Z' });
  });

  test('gather errors of one cause: after the first message there is one an hour', () => {
    const keyAfter = (last: string, cause?: string) =>
      plan(alertOf(cause === undefined ? {} : { cause }), {
        rules: [ruleOf()],
        timesOfCause: (target, of) => (target === 'slack' && of === 'backup/no space' ? [new Date(last)] : []),
      }).deliveries[0]?.digestKey;
    const collected = 'slack@2026-11-25T21:00:00.000Z';
    expect(keyAfter('2026-11-25T19:04:00Z', 'backup/no space')).toBe(collected);
    // Others wait already.
    expect(keyAfter('2026-11-25T21:00:00Z', 'backup/no space')).toBe(collected);
    expect(keyAfter('2026-11-25T20:30:00Z', 'backup/no space')).toBe('slack@2026-11-25T20:30:00.000Z');
    // They wait for the end of another rule's quiet hours.
    expect(keyAfter('2026-11-26T13:00:00Z', 'backup/no space')).toBeNull();
    expect(keyAfter('2026-11-25T19:03:00Z', 'backup/no space')).toBeNull();
    expect(keyAfter('2026-11-25T20:02:00Z', 'backup/no database')).toBeNull();
    expect(keyAfter('2026-11-25T20:02:00Z')).toBeNull();
  });
});

describe('quiet hours', () => {
  const quiet = { quietHours: night };

  test('across midnight hold errors until they end, and let critical alerts pass', () => {
    expect(timeOf(alertOf(), quiet)).toBe(now.toISOString());
    // 22:00, 23:59, 00:00, 06:59 and 07:00 in Chicago.
    for (const at of ['2026-11-26T04:00:00Z', '2026-11-26T05:59:00Z', '2026-11-26T06:00:00Z', '2026-11-26T12:59:59Z'])
      expect(timeOf(alertOf(), quiet, new Date(at))).toBe('2026-11-26T13:00:00.000Z');
    expect(timeOf(alertOf(), quiet, new Date('2026-11-26T03:59:59Z'))).toBe('2026-11-26T03:59:59.000Z');
    expect(timeOf(alertOf(), quiet, new Date('2026-11-26T13:00:00Z'))).toBe('2026-11-26T13:00:00.000Z');
    const midnight = new Date('2026-11-26T06:00:00Z');
    expect(timeOf(alertOf({ severity: 'critical' }), quiet, midnight)).toBe(midnight.toISOString());
    const noException = { ...night, except: 'error' as const };
    expect(timeOf(alertOf(), { quietHours: noException }, midnight)).toBe(midnight.toISOString());
  });

  test('count at the end of a window', () => {
    const warning = alertOf({ severity: 'warning' });
    // 21:30: the window ends in the quiet hours. 06:30: it ends with them.
    expect(timeOf(warning, quiet, new Date('2026-11-26T03:30:00Z'))).toBe('2026-11-26T13:00:00.000Z');
    expect(timeOf(warning, quiet, new Date('2026-11-26T12:30:00Z'))).toBe('2026-11-26T13:00:00.000Z');
  });

  test('count at the end of the hour or minute for which errors are collected', () => {
    // 21:59:30 in Chicago.
    const before = new Date('2026-11-26T03:59:30Z');
    const timeAfter = (listeners: Partial<Listeners>) =>
      plan(alertOf({ cause: 'backup/no space' }), { rules: [ruleOf(quiet)], ...listeners }, before).deliveries[0]
        ?.notBefore;
    const morning = new Date('2026-11-26T13:00:00Z');
    expect(timeAfter({})).toEqual(before);
    expect(timeAfter({ timesOfCause: () => [new Date('2026-11-26T03:30:00Z')] })).toEqual(morning);
    expect(timeAfter({ recentlySent: () => 5 })).toEqual(morning);
  });

  test('of users hold their e-mail, not their inbox', () => {
    const users = [userOf('ann', { email: 'all', quietHours: night })];
    expect(plan(alertOf(), { users }, new Date('2026-11-26T06:00:00Z'))).toMatchObject({
      inbox: ['ann'],
      deliveries: [{ notBefore: new Date('2026-11-26T13:00:00Z') }],
    });
  });

  const endOf = (hours: Partial<typeof night>, at: string) =>
    endOfQuietHours({ ...night, ...hours }, new Date(at))?.toISOString();

  test('within one day', () => {
    const lunch = { from: '12:00', to: '13:30', time_zone: 'Asia/Kolkata' };
    expect(endOf(lunch, '2026-11-26T06:29:00Z')).toBeUndefined();
    expect(endOf(lunch, '2026-11-26T06:30:00Z')).toBe('2026-11-26T08:00:00.000Z');
    expect(endOf(lunch, '2026-11-26T08:00:00Z')).toBeUndefined();
  });

  test('follow the clocks when they change', () => {
    // Chicago: 8 March 2026 at 02:00 → 03:00; 1 November 2026 at 02:00 → 01:00.
    expect(endOf({}, '2026-03-08T05:00:00Z')).toBe('2026-03-08T12:00:00.000Z');
    expect(endOf({}, '2026-03-07T05:00:00Z')).toBe('2026-03-07T13:00:00.000Z');
    expect(endOf({}, '2026-11-01T04:00:00Z')).toBe('2026-11-01T13:00:00.000Z');
    // They end at a time that the clocks skip, and at one that they show twice.
    const skipped = endOf({ to: '02:30' }, '2026-03-08T07:00:00Z');
    expect(['2026-03-08T08:00:00.000Z', '2026-03-08T08:30:00.000Z']).toContain(skipped);
    expect(endOf({ to: '01:30' }, '2026-11-01T05:00:00Z')).toBe('2026-11-01T06:30:00.000Z');
  });

  test('need a zone that exists, times of the day, and a length', () => {
    const problems = (changes: object) =>
      quietHours.safeParse({ ...night, ...changes }).error?.issues.map(({ path }) => path.join('.'));
    expect(problems({})).toBeUndefined();
    expect(problems({ time_zone: 'Mars/Olympus' })).toEqual(['time_zone']);
    expect(problems({ from: '24:00' })).toEqual(['from']);
    expect(problems({ to: '22:00' })).toEqual(['to']);
  });
});
