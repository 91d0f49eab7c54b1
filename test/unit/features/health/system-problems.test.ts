import { expect, test } from '@jest/globals';
import { createSystemProblems } from '../../../../src/features/health/system/problems.ts';

const mebibyte = 1024 ** 2;

/** The severities of disks with this much free, in MiB: the manager's, the engine's, a node's. */
async function severities(free: number, freeOfEngine: number, freeOfNode = 10_000): Promise<string[]> {
  const usage = { cpuCores: 1, memoryBytes: 1, disk: { usedBytes: 1, freeBytes: freeOfNode * mebibyte } };
  const find = createSystemProblems({
    system: {
      overview: async () => ({ runtime: { available: true }, storage: null, warnings: [] }) as never,
      space: async () => ({
        directory: '/data',
        free_bytes: free * mebibyte,
        total_bytes: 100_000 * mebibyte,
        needed_bytes: 1_000 * mebibyte,
        engine_disks: [{ place: '/var/lib/docker', free_bytes: freeOfEngine * mebibyte }],
        measured_at: '2026-11-25T20:00:00.000Z',
      }),
    },
    proxy: async () => undefined,
    proxyKind: 'none',
    nodes: async () => [
      { hostname: 'node2', state: 'ready', usage },
      { hostname: 'node3', state: 'ready' },
    ],
    driftedSites: () => 0,
  });
  return (await find()).map(({ severity }) => severity);
}

test('little disk space is a warning, and next to none an error', async () => {
  expect(await severities(2_000, 2_000)).toEqual([]);
  expect(await severities(900, 2_000)).toEqual(['warning']);
  expect(await severities(100, 900)).toEqual(['error', 'warning']);
  expect(await severities(2_000, 10)).toEqual(['error']);
  expect(await severities(2_000, 2_000, 900)).toEqual(['warning']);
  expect(await severities(2_000, 2_000, 10)).toEqual(['error']);
});
