import { expect, test } from '@jest/globals';
import type { Service } from '../../../../src/adapters/runtimes/swarm/client/services.ts';
import type { Nodes, Task } from '../../../../src/adapters/runtimes/swarm/client/tasks.ts';
import { isRunning, unitState } from '../../../../src/adapters/runtimes/swarm/units/unit-state.ts';

const service: Service = {
  ...{ id: 's', name: 'acme-api-0', replicas: 1, forced: 2, createdAt: '', updateFailure: undefined },
  labels: { 'org.tenantry.desired': 'running', 'org.tenantry.commit': 'c0ffee' },
  spec: { TaskTemplate: { RestartPolicy: { MaxAttempts: 10 } } },
};
const nodes = new Map(
  [
    ['up', true],
    ['down', false],
  ].map(([id, ready]) => [id, { id, name: `node-${id}`, address: '10.0.0.1', ready, hasStorage: true }]),
) as unknown as Nodes;

/** Tasks are given newest first. */
const task = (changes: Partial<Task>): Task => ({
  ...{
    id: 't',
    serviceId: 's',
    nodeId: 'up',
    addresses: [],
    createdAt: '',
    desired: 'running',
    forced: 2,
    reservedBytes: 0,
  },
  ...{ state: 'running', since: '2026-11-20T11:00:00.5Z', error: undefined, containerId: 'c', exitCode: 0 },
  ...changes,
});
const failed = task({ desired: 'shutdown', state: 'failed', exitCode: 3, error: 'task: non-zero exit (3)' });
const state = (...tasks: Task[]) => unitState(service, tasks, nodes);

test('only a running task of this specification on a node that answers is active', () => {
  expect(state(task({}))).toEqual({
    ...{ state: 'active', commit: 'c0ffee', reason: null, gaveUp: false, restarts: 0 },
    startedAt: new Date('2026-11-20T11:00:00.5Z'),
  });
  expect(state(task({}), failed)).toMatchObject({ state: 'active', reason: null });
  const others = [task({ forced: 1 }), task({ desired: 'shutdown' }), task({ serviceId: 'other' })];
  for (const other of others) expect(state(other)).toMatchObject({ state: 'inactive', waiting: true });
  expect(isRunning(task({ nodeId: 'removed' }), nodes)).toBe(false);
});

test('a task on a node that is down is unknown, not running, and names the node', () => {
  expect(state(task({ nodeId: 'down' }))).toMatchObject({
    ...{ state: 'inactive', gaveUp: false, waiting: true, startedAt: null },
    reason: 'The node node-down is down, what runs there is unknown',
  });
  const replaced = [task({ state: 'preparing' }), task({ nodeId: 'down', desired: 'shutdown' })] as const;
  expect(state(...replaced).reason).toBe(
    'The node node-down is down, what runs there is unknown; Being prepared on node-up',
  );
  // A failure from before the run that the node's loss ended says nothing.
  expect(state(...replaced, failed)).toMatchObject({ waiting: true, reason: expect.not.stringContaining('Exit code') });
});

test('a unit without a node, one that was scaled to 0 and one that fails its health check say so', () => {
  const error = 'no suitable node (insufficient resources on 3 nodes)';
  expect(state(task({ state: 'pending', nodeId: undefined, error })).obstacle).toBe('no_node');
  // Not yet looked for.
  expect(state(task({ state: 'pending', nodeId: undefined })).obstacle).toBeUndefined();
  const unhealthy = { ...failed, error: 'task: non-zero exit (137): dockerexec: unhealthy container' };
  expect(state(task({ state: 'preparing' }), unhealthy)).toMatchObject({ obstacle: 'unhealthy', restarts: 1 });
  expect(unitState({ ...service, replicas: 0 }, [], nodes)).toMatchObject({
    ...{ state: 'inactive', obstacle: 'stopped_outside', reason: 'Scaled to 0' },
  });
});

test.each([
  [
    { state: 'pending', nodeId: undefined, error: 'no suitable node (3 nodes not available for new tasks)' },
    'Not started: no suitable node (3 nodes not available for new tasks)',
  ],
  [{ state: 'pending', nodeId: undefined }, 'Waiting for a node'],
  [{ state: 'preparing' }, 'Being prepared on node-up'],
  [{ state: 'starting' }, 'Started, no answer yet on node-up'],
])('a unit that has not ended waits, and says for what: %j', (changes, reason) => {
  expect(state(task(changes))).toMatchObject({ state: 'inactive', waiting: true, gaveUp: false, reason });
});

test('a failed task gives its reason: between two restarts, while Swarm decides, and given up', () => {
  const next = task({ desired: 'ready', state: 'ready' });
  const again = { state: 'inactive', gaveUp: false, reason: 'Exit code 3; starts again' };
  expect(state(next, failed)).toMatchObject(again);
  expect(state(next, failed).waiting).toBeUndefined();
  expect(state({ ...failed, desired: 'running' })).toMatchObject(again);
  expect(state(failed)).toMatchObject({ gaveUp: true, reason: 'Exit code 3; given up after 10 restarts' });
  const rejected = { ...failed, state: 'rejected', error: 'No such image: acme:1' };
  expect(state(next, rejected).reason).toBe('No such image: acme:1; starts again');
  expect(state(next, { ...failed, state: 'complete', exitCode: 0, error: undefined }).reason).toContain('Exit code 0');
  const killed = { ...failed, exitCode: 137, error: 'task: non-zero exit (137)' };
  expect(unitState(service, [killed], nodes, () => true).reason).toBe('Out of memory; given up after 10 restarts');
  expect(state(next, { ...failed, error: 'task: non-zero exit (3): dockerexec: unhealthy container' }).reason).toBe(
    'Exit code 3 (dockerexec: unhealthy container); starts again',
  );
});

test('an update that Swarm has paused gives its message while nothing else is known', () => {
  const updateFailure = 'update paused due to failure or early termination of task t';
  const found = (...tasks: Task[]) => unitState({ ...service, updateFailure }, tasks, nodes);
  expect(found()).toMatchObject({ state: 'inactive', reason: updateFailure });
  expect(found().waiting).toBeUndefined();
  expect(found(failed).reason).toBe('Exit code 3; given up after 10 restarts');
  expect(found(task({})).state).toBe('active');
});

test('a stopped unit has no reason, whatever its tasks were', () => {
  const stopped = { ...service, replicas: 0, labels: { ...service.labels, 'org.tenantry.desired': 'stopped' } };
  expect(unitState(stopped, [failed], nodes)).toMatchObject({ state: 'inactive', reason: null, gaveUp: false });
});
