import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, expect, test } from '@jest/globals';
import { isAlive, watchdogOf } from '../../harness/app/process-state.ts';
import { until } from '../../harness/data/tenants.ts';

const long = 3_600_000;
let watched: ChildProcess;
let programs: number[] = [];

afterEach(() => {
  watched.kill('SIGKILL');
  for (const pid of programs.filter(isAlive)) process.kill(pid, 'SIGKILL');
});

async function start(extendedForMs: number): Promise<void> {
  const script = join(import.meta.dirname, 'watched-manager.ts');
  watched = spawn(process.execPath, [script, String(extendedForMs)], { stdio: ['ignore', 'pipe', 'ignore'] });
  if (!watched.stdout) throw new Error('It has no output');
  const [line] = await once(createInterface({ input: watched.stdout }), 'line');
  programs = String(line).split(' ').map(Number);
}

const programsEnded = (): Promise<unknown> =>
  until(
    async () => programs.filter(isAlive),
    (running) => running.length === 0,
  );

const watchdogPid = (): number => watchdogOf(watched.pid ?? 0) ?? 0;

test('ends a process that is stopped (SIGSTOP) in time, and its programs', async () => {
  await start(3_000);
  watched.kill('SIGSTOP');
  const [, signal] = await once(watched, 'exit');
  expect(signal).toBe('SIGKILL');
  await programsEnded();
});

test('ends the programs of a process that is killed', async () => {
  await start(long);
  watched.kill('SIGKILL');
  await programsEnded();
});

test('goes on after the signals of a supervisor', async () => {
  await start(long);
  const watchdog = watchdogPid();
  const caught = async () => /SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${watchdog}/status`, 'utf8'))?.[1] ?? '';
  // Bit 0 is SIGHUP: its handler is the last one.
  await until(caught, (bits) => Number.parseInt(bits.slice(-1), 16) % 2 === 1);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(watchdog, signal);
  watched.kill('SIGKILL');
  await programsEnded();
});

test('when it ends, the process ends', async () => {
  await start(long);
  process.kill(watchdogPid(), 'SIGKILL');
  expect(await once(watched, 'exit')).toEqual([3, null]);
});
