import { describe, expect, test } from '@jest/globals';
import { failureOf, isDue, isRelevant } from '../../../../src/features/synthetic-checks/run.ts';

const now = new Date('2026-11-25T12:00:00Z');
const ranAgo = (minutes: number, status: 'passed' | 'failed' = 'passed') => ({
  at: new Date(now.getTime() - minutes * 60_000),
  status,
});

describe('checks with a user’s steps', () => {
  test.each([
    [undefined, true],
    [ranAgo(4.9), false],
    [ranAgo(5), true],
    [ranAgo(0.5, 'failed'), false],
    [ranAgo(1, 'failed'), true],
    // The clock was set back.
    [ranAgo(-10), true],
  ])('are due every five minutes, and a minute after a failure: %j', (last, due) => {
    expect(isDue(last, 5, now)).toBe(due);
  });

  test.each([
    [14, 1, true],
    [15, 1, false],
    [14, 0, true],
    [179, 60, true],
    [180, 60, false],
  ])('%i minutes after a run, every %i minutes, its result counts: %s', (ago, interval, counts) => {
    expect(isRelevant(ranAgo(ago), interval, now)).toBe(counts);
  });

  test('name the first failure with its way and step', () => {
    const step = { name: 'Sign in', cleanup: false, status_code: 200, duration_ms: 3, error: null };
    const passed = {
      name: 'A',
      status: 'passed' as const,
      duration_ms: 3,
      steps: [{ ...step, status: 'passed' as const }],
    };
    const late = { ...step, status: 'failed' as const, status_code: null, error: 'no answer within 10 ms' };
    const removed = { ...late, name: 'Remove', cleanup: true };
    expect(failureOf([{ ...passed, route: 'units' }])).toBeUndefined();
    expect(
      failureOf([
        { ...passed, route: 'units' },
        { ...passed, status: 'failed', route: 'proxy', steps: [...passed.steps, removed] },
      ]),
    ).toEqual({
      check: 'A',
      step: 'Remove',
      text: 'Check “A”, cleanup step “Remove” through the proxy: no answer within 10 ms',
      detail: 'Sign in: passed (200, 3 ms); Remove: failed (no answer, 3 ms)',
    });
  });
});
