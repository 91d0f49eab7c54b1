import { expect, test } from '@jest/globals';
import { problemsOf } from '../../../dashboard/src/features/system/problems.ts';

test.each([
  ['engine', '/system/overview', 'Show the engine'],
  ['node', '/system/nodes', 'Show the nodes'],
  ['proxy', '/system/proxy', 'Show the reverse proxy'],
  ['disk', '/system/overview', 'Show disk usage'],
  ['site', '/system/proxy?show=look', 'Show the sites'],
  ['warning', '/system/overview', 'Show the system'],
] as const)('a problem of the kind %s leads to its place', (kind, to, label) => {
  expect(problemsOf([{ kind, severity: 'warning', name: '', cause: 'It is so' }])).toEqual([
    { what: 'It is so', bad: false, to, label },
  ]);
});
