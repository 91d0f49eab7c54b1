import { describe, expect, test } from '@jest/globals';
import { cronWords } from '../../../dashboard/src/features/backups/schedule/cron-words.ts';
import { settingsText } from '../../../dashboard/src/features/settings/messages.ts';
import { unwellOf } from '../../../dashboard/src/features/tenant/next-step.ts';
import { haltedVersions } from '../../../dashboard/src/features/upgrades/fleet/halted-versions.ts';
import { fold } from '../../../dashboard/src/lib/fold.ts';
import { relativeText } from '../../../dashboard/src/lib/relative.ts';
import { settingDefinitions } from '../../../src/features/settings/definitions.ts';
import { searchTerm } from '../../../src/features/tenants/search-text.ts';

describe('a UTC schedule in the viewer’s time zone', () => {
  test.each([
    ['', 'UTC', 'never'],
    ['0 2 * * *', 'America/Phoenix', 'At 19:00, every day'],
    ['0 2 * * *', 'UTC', 'At 02:00, every day'],
    ['30 2 * * 1', 'America/Phoenix', 'At 19:30, only on Sunday'],
    ['0 20 * * 0', 'Asia/Tokyo', 'At 05:00, only on Monday'],
    ['0 12 * * 1-5', 'Asia/Tokyo', 'At 21:00, Monday through Friday'],
    ['15 * * * *', 'Asia/Kolkata', 'At 45 minutes past the hour, every hour, every day'],
    ['0 12 1 * *', 'America/Phoenix', 'At 05:00, on day 1 of the month'],
    // There it is the last day of the previous month, whichever that is.
    ['0 2 1 * *', 'America/Phoenix', 'At 02:00, on day 1 of the month (UTC)'],
    ['0 20 * * 1-5', 'Asia/Tokyo', 'At 20:00, Monday through Friday (UTC)'],
    ['0 2,14 * * *', 'Asia/Tokyo', 'At 02:00 and 14:00, every day (UTC)'],
    ['0 */6 * * *', 'Asia/Tokyo', 'On the hour, every 6 hours, every day'],
  ])('%s in %s', (cron, zone, words) => expect(cronWords(cron, zone)).toBe(words));
});

test.each([
  [0, 'just now'],
  [59, 'just now'],
  [60, '1 minute ago'],
  [3 * 60 + 20, '3 minutes ago'],
  [7_300, '2 hours ago'],
  [90_000, '1 day ago'],
  [-30, 'in less than a minute'],
  [-7_300, 'in 2 hours'],
])('shows %d seconds ago as “%s”', (seconds, words) => {
  const now = Date.UTC(2026, 10, 22, 8);
  expect(relativeText(new Date(now - seconds * 1_000).toISOString(), now)).toBe(words);
});

test.each(['São Tomé', ' ÄRGER 100% ', 'İstanbul', 'ﬁx', 'Ångström', 'Łódź', '東京'])(
  'the dashboard and the API fold %s alike',
  (text) => expect(fold(text)).toBe(searchTerm(text)),
);

describe('the headline of an unhealthy tenant', () => {
  const up = { status: 'up', response_time_ms: 3, status_code: 200 } as const;
  const down = (status_code: number | null, error: string) =>
    ({ status: 'down', response_time_ms: null, status_code, error }) as const;
  const well = {
    frontend: up,
    backend: up,
    database: { status: 'healthy', size_mb: 1, connections: null },
    services: { frontend_service: 'active', backend_service: 'active' },
  } as const;
  type Report = Parameters<typeof unwellOf>[0];
  const of = (checks: Partial<Report['checks']>, rest: Partial<Report> = {}) =>
    unwellOf({ checks: { ...well, ...checks }, certificate: null, overall_status: 'unhealthy', ...rest });

  test.each<[Partial<Report['checks']>, string, string[]]>([
    [{ backend: down(null, 'no answer within 5000 ms') }, 'The API does not answer', ['No answer within 5000 ms']],
    [{ frontend: down(503, 'answered 503') }, 'The site answers with an error', ['Answered 503']],
    [
      { frontend: down(null, 'connection refused'), backend: down(null, 'connection refused') },
      'The site and the API do not answer',
      ['Connection refused'],
    ],
    [
      { services: { frontend_service: 'active', backend_service: 'inactive', error: 'backend: exited with code 1' } },
      'The API does not run',
      ['Backend: exited with code 1'],
    ],
    [{ proxy: down(502, 'answered 502') }, 'Visitors can’t reach it through the proxy', ['Answered 502']],
  ])('%j', (checks, title, reasons) => expect(of(checks)).toEqual({ title, reasons }));

  test('names a certificate and a database that degrade it', () => {
    const degraded = { overall_status: 'degraded' } as const;
    const certificate = { not_after: '', days_left: 3, issuer: 'x', error: 'expires in 3 days' };
    expect(of({}, { ...degraded, certificate }).title).toBe('The certificate needs attention');
    const database = { status: 'down', size_mb: null, connections: null, error: 'refused' } as const;
    expect(of({ database }, degraded).title).toBe('The database check failed');
  });
});

test('a version is halted while its last upgrade is', () => {
  const counts = { total: 2, waiting: 1, upgrading: 0, succeeded: 0, failed: 1, skipped: 0 };
  const fleet = (target_version: string, status: 'halted' | 'completed' | 'cancelled') => ({
    target_version,
    status,
    counts,
  });
  expect([
    ...haltedVersions([
      fleet('v1.3.0', 'completed'),
      fleet('v1.2.0', 'cancelled'),
      fleet('v1.3.0', 'halted'),
      fleet('v1.1.0', 'halted'),
    ]),
  ]).toEqual(['v1.2.0', 'v1.1.0']);
});

test('each setting has its own name', () => {
  expect(Object.keys(settingsText.names).sort()).toEqual(Object.keys(settingDefinitions).sort());
});
