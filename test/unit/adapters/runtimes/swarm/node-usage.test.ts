import { expect, test } from '@jest/globals';
import { type NodeFiles, NodeUsages } from '../../../../../src/adapters/runtimes/swarm/nodes/node-usage.ts';

const mebibyte = 1024 ** 2;
/** The files of a node with 1,000 MiB whose two cores have been busy since its start. */
const files = (seconds: number): NodeFiles => ({
  stat: `cpu  ${seconds * 150} 0 ${seconds * 30} 1000 900 ${seconds * 10} ${seconds * 10} 0 0 0\ncpu0 1 2 3 4\nintr 1 2\n`,
  uptime: `${seconds}.50 12345.67\n`,
  meminfo: `MemTotal:        1024000 kB\nMemFree:          100000 kB\nMemAvailable:     614400 kB\n`,
  df: 'Filesystem     1024-blocks    Used Available Capacity Mounted on\noverlay            5242880 2097152   3145728      40% /\n',
});

test('a node uses what its files say, and its cores between two of them', () => {
  const usages = new NodeUsages();
  const rest = { memoryBytes: 400 * mebibyte, disk: { usedBytes: 2_048 * mebibyte, freeBytes: 3_072 * mebibyte } };
  expect(usages.of('one', files(100))).toEqual({ cpuCores: null, ...rest });
  expect(usages.of('two', files(300))).toEqual({ cpuCores: null, ...rest });
  expect(usages.of('one', files(400))).toEqual({ cpuCores: 2, ...rest });
  // Restarted
  expect(usages.of('one', files(10))).toEqual({ cpuCores: null, ...rest });
  expect(usages.of('one', files(20))).toEqual({ cpuCores: 2, ...rest });
  // Restarted, and up for longer than it was before
  expect(usages.of('one', { ...files(1), uptime: '30.00 1.0' })).toEqual({ cpuCores: null, ...rest });
});

test.each<[string, Partial<NodeFiles>]>([
  ['stat', { stat: '' }],
  ['stat without its numbers', { stat: 'cpu  1 2 3\n' }],
  ['uptime', { uptime: '' }],
  ['meminfo', { meminfo: 'MemTotal: 5 kB' }],
])('without %s nothing is known', (_what, missing) => {
  expect(new NodeUsages().of('one', { ...files(100), ...missing })).toBeUndefined();
});

test('without df the disk is not known', () => {
  expect(new NodeUsages().of('one', { ...files(100), df: '' })?.disk).toBeUndefined();
});
