import { expect, test } from '@jest/globals';
import type { RuntimeNode } from '../../../../src/adapters/runtimes/nodes.ts';
import { nodeFindings, nodeWarnings } from '../../../../src/features/health/system/nodes.ts';

const node = (hostname: string, engineVersion: string, storage: RuntimeNode['storage'] = 'ok'): RuntimeNode => ({
  id: `id-${hostname}`,
  hostname,
  state: 'ready',
  availability: 'active',
  role: 'worker',
  address: '10.99.0.1',
  engineVersion,
  storage,
  cpus: 2,
  memoryBytes: 1024,
  reservedBytes: 0,
  tenantsReservedBytes: 0,
  noNewPrivileges: undefined,
  networkProblems: [],
  tenants: [],
});

test('names the nodes that lack the storage, and no node whose storage is unknown', () => {
  const nodes = [node('one', '20.10.24'), node('two', '20.10.24', 'missing'), node('three', '20.10.24', 'unknown')];
  expect(nodeFindings(nodes)).toEqual({ storage: { missing: [{ id: 'id-two', hostname: 'two' }] }, warnings: [] });
});

test('warns of engines that are too old, and of different ones', () => {
  const versions = ['19.03.15', '20.10.24', '27.5.1'];
  expect(nodeFindings(versions.map((version) => node(`on-${version}`, version))).warnings).toEqual([
    'The engine of on-19.03.15 is too old: 19.03.15, needs 20.10',
    'The nodes have different engines: 19.03.15, 20.10.24, 27.5.1',
  ]);
  expect(nodeFindings([node('one', '20.10.24'), node('down', '')]).warnings).toEqual([]);
});

test('names the nodes whose containers can gain privileges, as far as that is known', () => {
  const nodes = [node('one', '20.10.24'), node('two', '20.10.24'), node('three', '20.10.24')].map((one, index) => ({
    ...one,
    noNewPrivileges: [true, false, undefined][index],
  }));
  expect(nodeFindings(nodes).warnings).toEqual([
    'Programs of tenants can gain privileges on two: set "no-new-privileges": true in daemon.json',
  ]);
});

test('says what does not pass between nodes', () => {
  const one = { ...node('one', '20.10.24'), networkProblems: ['get no answers from two'] };
  expect(nodeFindings([one, node('two', '20.10.24')]).warnings).toEqual(['Units on one get no answers from two']);
});

test('warns of each node alone, in the same words without its name', () => {
  const old = { ...node('one', '19.03.15'), noNewPrivileges: false, networkProblems: ['get no answers from two'] };
  expect(nodeWarnings(old)).toEqual([
    'The engine is too old: 19.03.15, needs 20.10',
    'Programs of tenants can gain privileges: set "no-new-privileges": true in daemon.json',
    'Units here get no answers from two',
  ]);
  expect(nodeWarnings(node('two', '20.10.24'))).toEqual([]);
  expect(nodeWarnings(node('down', ''))).toEqual([]);
});

test('says nothing where nodes are unknown', () => {
  expect(nodeFindings(undefined)).toEqual({ storage: null, warnings: [] });
});
