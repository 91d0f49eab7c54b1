import { describe, expect, test } from '@jest/globals';
import { nextOf } from '../../../dashboard/src/features/tenant/next-step.ts';

type Works = Parameters<typeof nextOf>[1];
const work = (kind: string, status: Works[number]['status'], put_back: boolean | null = null) => ({
  id: `${kind} ${status}`,
  kind,
  status,
  put_back,
});
const down = {
  deployed_at: '2026-03-01T00:00:00.000Z',
  git_repo: 'x',
  status: 'error',
  health_status: 'unhealthy',
} as const;

describe('the next step for a tenant that does not run', () => {
  test.each<[string, Works, string, string | undefined]>([
    ['its services died', [work('deploy', 'success')], 'error', undefined],
    ['a backup of it failed as well', [work('backup', 'failed', true), work('deploy', 'success')], 'error', undefined],
    [
      'an upgrade that was rolled back is long over',
      [work('backup', 'success'), work('upgrade', 'failed', true)],
      'error',
      undefined,
    ],
    [
      'an upgrade could not be rolled back, and a backup was made since',
      [work('backup', 'success'), work('upgrade', 'failed', false)],
      'failed',
      'upgrade failed',
    ],
    [
      'a restore was cancelled and not rolled back',
      [work('restore', 'cancelled', false)],
      'failed',
      'restore cancelled',
    ],
    [
      'it is being deployed again',
      [work('deploy', 'running'), work('deploy', 'failed', false)],
      'underWay',
      'deploy running',
    ],
  ])('%s', (_why, works, next, about) => {
    const answer = nextOf(down, works, false);
    expect([answer.next, answer.work?.id]).toEqual([next, about]);
  });

  test('its first deployment failed', () => {
    const fresh = { ...down, deployed_at: null };
    expect(nextOf(fresh, [work('deploy', 'failed', true)], false)).toMatchObject({
      next: 'failed',
      work: { kind: 'deploy' },
    });
    expect(nextOf(fresh, [], false)).toEqual({ next: 'deploy' });
    expect(nextOf({ ...fresh, git_repo: null }, [], false)).toEqual({ next: 'repository' });
  });
});
