import { expect, test } from '@jest/globals';
import { showsNoStorage } from '../../../../../src/adapters/runtimes/swarm/nodes/storage-probe.ts';

const noPath = 'invalid mount config for type "bind": bind source path does not exist: /srv/tenantry/.probe/1/node';

test.each([
  ['its mount failed', { state: 'rejected', error: noPath, exitCode: 0 }, true],
  ['cp failed', { state: 'failed', error: 'task: non-zero exit (1)', exitCode: 1 }, true],
  ['its engine was killed', { state: 'failed', error: 'task: non-zero exit (137)', exitCode: 137 }, false],
  ['its engine lost it', { state: 'failed', error: 'task: non-zero exit (255)', exitCode: 255 }, false],
  ['it has no such image', { state: 'rejected', error: 'No such image: busybox:1.37', exitCode: 0 }, false],
])('a node whose probe ended because %s', (_why, task, expected) => expect(showsNoStorage(task)).toBe(expected));
