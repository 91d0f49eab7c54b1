/** Run by watchdog.test.ts: a process with a watchdog, which runs a program. It is extended for as long as argv says. */
import { startWatchdog } from '../../../src/app/lifecycle/watchdog.ts';
import { sinceBootMs } from '../../../src/lib/concurrency/acting-deadline.ts';
import { runProgram } from '../../../src/lib/spawn.ts';

const watchdog = startWatchdog(() => process.exit(3));
watchdog.extend(sinceBootMs() + Number(process.argv[2]));
// Its child holds the output open; both are in one process group.
const args = ['-c', 'sleep 3600 & echo $$ $!; wait'];
await runProgram('/bin/sh', args, { env: { PATH: '/usr/bin:/bin' }, onLine: (line) => console.log(line) });
