import { describe, expect, test } from '@jest/globals';
import { failureOf, isDue, isRelevant } from '../../../../src/features/synthetic-checks/run.ts';
import {
  createSyntheticChecks,
  type SyntheticChecksDeps,
} from '../../../../src/features/synthetic-checks/synthetic-checks.ts';
import { until } from '../../../harness/data/tenants.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

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

eachStore('checks with a user’s steps, in a sweep', (store) => {
  test('are not held up by tenants in trouble that hang', async () => {
    const tenants = Array.from({ length: 20 }, (_, index) => ({
      ...{ id: `tenant-${index}`, status: 'running', healthStatus: index < 10 ? 'unhealthy' : 'healthy' },
      ...{ backendPort: index, frontendPort: index },
      deployed: { key: 'release', checks: [{}], units: { api: {}, frontend: {} } },
    }));
    const asked = new Set<number>();
    const ask = (port: number, _: unknown, { signal }: { signal: AbortSignal }) => {
      asked.add(port);
      if (port >= 10) return Promise.resolve({ status: 'down' });
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    };
    const checks = createSyntheticChecks({
      store: store(),
      clock: { now: () => now },
      settings: { read: async () => 5 },
      engine: { isBusy: () => false },
      events: { on: () => () => undefined },
      runtime: { address: async (_: unknown, port: number) => port },
      tenantApi: { health: ask, probe: ask },
      tenants: { each: () => tenants.values() },
    } as unknown as SyntheticChecksDeps);
    const stopping = new AbortController();
    const troubled = checks.runDue('troubled', stopping.signal);
    await until(
      async () => asked.size,
      (count) => count === 4,
    );
    for (const _sweep of [1, 2]) {
      expect(await checks.runDue('well', stopping.signal)).toBe(0);
      expect([...asked].filter((port) => port >= 10)).toHaveLength(10);
      for (const { backendPort } of tenants.slice(10)) asked.delete(backendPort);
    }
    expect(asked.size).toBe(4);
    stopping.abort(new Error('the end'));
    expect(await troubled).toBe(0);
  });
});
