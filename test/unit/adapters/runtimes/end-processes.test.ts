import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from '@jest/globals';
import { endProcesses } from '../../../../src/adapters/runtimes/recorded/process/processes/end-processes.ts';
import { markVariable } from '../../../../src/adapters/runtimes/recorded/process/units/unit-mark.ts';
import { actingDeadline, sinceBootMs } from '../../../../src/lib/concurrency/acting-deadline.ts';

afterEach(() => actingDeadline.clear());

const onLinux = process.platform === 'linux' ? test : test.skip;

onLinux('finds a process whose environment is unreadable at first', async () => {
  const mark = `end-processes-test/${process.pid}`;
  const child = spawn('sleep', ['600'], { detached: true, env: { ...process.env, [markVariable]: mark } });
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  let seen = 0;
  // As between fork and exec, when a process has no environment.
  const marked = (found: string): boolean => found === mark && ++seen > 1;
  try {
    await endProcesses({ marked }, 0);
    expect(child.exitCode ?? child.signalCode).toBe('SIGKILL');
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
});

onLinux('leaves processes alone once another manager may act', async () => {
  const mark = `end-processes-test/${process.pid}/late`;
  const child = spawn('sleep', ['600'], { detached: true, env: { ...process.env, [markVariable]: mark } });
  await once(child, 'spawn');
  const ended = once(child, 'exit');
  try {
    actingDeadline.extend(sinceBootMs() - 1, () => {
      throw new Error('missed');
    });
    await expect(endProcesses({ marked: (found) => found === mark }, 0)).rejects.toThrow('missed');
    expect(child.exitCode ?? child.signalCode).toBeNull();
  } finally {
    child.kill('SIGTERM');
    // A signal of `endProcesses` would have been SIGKILL.
    expect(await ended).toEqual([null, 'SIGTERM']);
  }
});
