import { describe, expect, test } from '@jest/globals';
import { choiceOf, cronOf, hoursOf } from '../../../dashboard/src/features/backups/schedule/schedule-choice.ts';

describe('a schedule in the form', () => {
  test.each([
    [null, null],
    ['', ''],
    ['0 */6 * * *', '0 */6 * * *'],
    ['0 3 * * *', '0 3 * * *'],
    ['0 02 * * *', '0 2 * * *'],
    ['0 14 * * 0', '0 14 * * 7'],
    ['30 2 * * 1-5', '30 2 * * 1-5'],
  ])('%j is saved as %j', (cron, saved) => {
    const choice = choiceOf(cron);
    expect(cronOf(choice)).toBe(saved);
    expect(Object.keys(hoursOf((utc) => utc))).toContain(choice.hour);
  });

  const both = (utc: string, here: string): string => `${here} here (${utc} UTC)`;

  test('reports an hour on another local day if the day matters', () => {
    const monday = hoursOf(both, { day: '1', zone: 'America/Phoenix' });
    expect([monday['2'], monday['12']]).toEqual(['19:00 on Sunday here (02:00 UTC)', '05:00 here (12:00 UTC)']);
    expect(hoursOf(both, { day: '7', zone: 'Asia/Tokyo' })['20']).toBe('05:00 on Monday here (20:00 UTC)');
    expect(hoursOf(both, { zone: 'America/Phoenix' })['2']).toBe('19:00 here (02:00 UTC)');
  });
});
