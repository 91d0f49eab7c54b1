import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from '@jest/globals';
import { endProcesses } from '../../../../src/adapters/runtimes/recorded/process/processes/end-processes.ts';
import { markVariable } from '../../../../src/adapters/runtimes/recorded/process/units/unit-mark.ts';

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
