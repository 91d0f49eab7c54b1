import { describe, expect, test } from '@jest/globals';
import { composeDigest, type SentAlert } from '../../../../src/features/notifications/rules/digest.ts';

const linkTo = (path: string) => `https://manager.example.org${path}`;
const tenant = { id: 't1', slug: 'acme', name: 'Acme', tags: [] };
const alertOf = (key: string, time: string, changes: Partial<SentAlert> = {}): SentAlert => ({
  key,
  severity: 'warning',
  title: `Title of ${key}`,
  text: `Text of ${key}`,
  link: `/${key}`,
  tenants: [tenant],
  at: new Date(`2026-11-25T${time}Z`),
  ...changes,
});

describe('a digest', () => {
  test('of one alert is that alert', () => {
    expect(composeDigest([alertOf('disk/1', '20:00:00')], linkTo)).toEqual({
      title: 'Title of disk/1',
      text: 'Text of disk/1',
      url: 'https://manager.example.org/disk/1',
      severity: 'warning',
      at: new Date('2026-11-25T20:00:00Z'),
      tenants: [{ slug: 'acme', name: 'Acme' }],
    });
  });

  test('says in one line that an incident is over, and after how long', () => {
    const incident = [
      alertOf('incident/1/resolved', '20:12:00', { severity: 'info' }),
      alertOf('incident/1/opened', '20:00:00', { title: 'Acme is down', severity: 'error' }),
      alertOf('incident/1/joined/2', '20:01:00'),
    ];
    const message = composeDigest(incident, linkTo);
    expect(message).toMatchObject({ title: 'Acme is down: recovered after 12 min', severity: 'error' });
    const end = (time: string) => composeDigest([...incident.slice(1), alertOf('incident/1/resolved', time)], linkTo);
    expect(end('20:00:45').title).toBe('Acme is down: recovered after 45 s');
    expect(end('23:00:00').title).toBe('Acme is down: recovered after 3 h');
    expect(end('22:05:00').title).toBe('Acme is down: recovered after 2 h 5 min');
    const [resolved] = incident;
    expect(resolved && composeDigest([resolved], linkTo).title).toBe('Title of incident/1/resolved');
  });

  test('has a line for each subject as it is by now, the worst first, each tenant once', () => {
    const message = composeDigest(
      [
        alertOf('backup/1/failed', '20:00:00'),
        alertOf('incident/1/opened', '20:05:00', { severity: 'error' }),
        alertOf('incident/1/reminder/1', '20:06:00', { severity: 'error', title: 'Still down' }),
        alertOf('update/9', '20:07:00', { severity: 'info', tenants: [{ ...tenant, id: 't2', slug: 'other' }] }),
      ],
      linkTo,
    );
    expect(message).toEqual({
      title: '3 notifications, first: Still down',
      text: '[error] Still down\n[warning] Title of backup/1/failed\n[info] Title of update/9',
      url: 'https://manager.example.org/inbox',
      severity: 'error',
      at: new Date('2026-11-25T20:06:00Z'),
      tenants: [
        { slug: 'acme', name: 'Acme' },
        { slug: 'other', name: 'Acme' },
      ],
    });
  });

  test('of very many alerts names the worst and counts the others', () => {
    const many = Array.from({ length: 1_000 }, (_, index) =>
      alertOf(`deployment/${index}/failed`, '20:00:00', index === 700 ? { severity: 'critical' } : {}),
    );
    const { title, text } = composeDigest(many, linkTo);
    expect(title).toBe('1000 notifications, first: Title of deployment/700/failed');
    expect(text.split('\n')).toHaveLength(51);
    expect(text).toContain('and 950 more');
  });
});
