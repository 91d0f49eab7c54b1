import { expect, test } from '@jest/globals';
import { roomFor } from '../../../dashboard/src/features/system/nodes/room.ts';

type Node = Parameters<typeof roomFor>[0];

const node = (id: string, changes: Partial<Node> = {}): Node => ({
  ...{ id, hostname: id, state: 'ready', availability: 'active', role: 'worker', address: '10.99.0.1' },
  ...{ engine_version: '20.10.24', storage: 'ok', cpus: 2, memory_bytes: 1_000, tenants: [], warnings: [] },
  ...{ reserved_bytes: 0, tenants_reserved_bytes: 0 },
  ...changes,
});

test('room for a node’s tenants is what is not reserved on the others, and only the tenants need it', () => {
  const full = node('full', { reserved_bytes: 900, tenants_reserved_bytes: 600 });
  const others = [node('one', { reserved_bytes: 400 }), node('over', { reserved_bytes: 1_200 })];
  expect(roomFor(full, [full, ...others])).toEqual({ needed: 600, free: 600 });
});

test('nodes that can’t run tenants have no room', () => {
  const full = node('full', { tenants_reserved_bytes: 600 });
  const others = [
    node('down', { state: 'down' }),
    node('drained', { availability: 'drain' }),
    node('bare', { storage: 'missing' }),
  ];
  expect(roomFor(full, [full, ...others])).toEqual({ needed: 600, free: 0 });
});
