import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runningPrograms } from '../../lib/concurrency/running-programs.ts';

/** A process that ends this one when it hangs. */
export interface Watchdog {
  /** @param until on the clock of `sinceBootMs` */
  extend(until: number): void;
  stop(): void;
}

const program = fileURLToPath(new URL('./watchdog-program.ts', import.meta.url));

/**
 * Starts a process that kills the programs of this one, and then this one, 2 s after the time it was extended to, even if it is
 * stopped (SIGSTOP): nothing of it goes on later. When this process ends in another way, its programs are killed as well.
 * @param onEnd called when the watchdog itself ends
 */
export function startWatchdog(onEnd: () => void): Watchdog {
  const child = spawn(process.execPath, ['--max-old-space-size=32', program, String(process.pid)], {
    env: {},
    stdio: ['pipe', 'ignore', 'inherit'],
    // Not suspended or ended with the process group of a terminal.
    detached: true,
  });
  let until = 0;
  let stopped = false;
  const ended = (): void => {
    if (!stopped) onEnd();
  };
  child.once('error', ended).once('exit', ended);
  // It has ended: `exit` follows.
  child.stdin.on('error', () => undefined);
  child.unref();
  const send = (): void => void child.stdin.write(`${until} ${[...runningPrograms.groups].join(' ')}\n`);
  runningPrograms.onChange = send;
  return {
    extend(next) {
      until = next;
      send();
    },
    stop() {
      stopped = true;
      runningPrograms.onChange = () => undefined;
      child.stdin.end();
    },
  };
}
