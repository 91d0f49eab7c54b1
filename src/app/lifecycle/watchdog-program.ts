/**
 * See `watchdog.ts`. The argument is the manager's process id. A line on stdin: until when the manager may run, and the process
 * groups of its programs.
 */
import { createInterface } from 'node:readline';
import { sinceBootMs } from '../../lib/concurrency/acting-deadline.ts';
import { killGroups } from '../../lib/concurrency/running-programs.ts';

/** A manager that does not hang ends itself before, and logs why. */
const graceMs = 2_000;
const manager = Number(process.argv[2]);
let until = Number.POSITIVE_INFINITY;
let programs: number[] = [];

// A supervisor may send them to all processes of the manager. This one ends after the manager.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

const isOver = (): boolean => sinceBootMs() > until + graceMs;

function end(): never {
  killGroups(programs);
  // The parent changes when the manager ends: its id may be that of another process then.
  if (isOver() && process.ppid === manager) {
    console.error('The manager could not renew its lease for 10 s and hangs: its watchdog ends it');
    process.kill(manager, 'SIGKILL');
  }
  process.exit();
}

const watch = setInterval(() => {
  if (isOver()) end();
}, 250);

for await (const line of createInterface({ input: process.stdin })) {
  const [time = Number.NaN, ...groups] = line.trim().split(' ').map(Number);
  until = time;
  programs = groups;
}
clearInterval(watch);
end();
