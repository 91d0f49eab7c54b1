import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run, type Stage } from '../harness/harness.ts';

const script = join(import.meta.dirname, '..', '..', 'test', 'harness', 'swarm', 'three-engines.sh');
/** Fixed, and the tests' own: the engines' addresses are the same in each run, so only one can use them. */
const directory = join(tmpdir(), 'tenantry-three-engines');

export interface Engines {
  sockets: string[];
  storage: string;
  registry: string;
  /** The host is gone at one moment: engine, containers, mounts. */
  lose(node: number): Promise<unknown>;
  start(node: number): Promise<unknown>;
}

/** Starts three engines as one swarm, and ends them with the stage; undefined where they can't run. */
export async function startEngines(stage: Stage): Promise<Engines | undefined> {
  const version = run('dockerd', ['--version']).catch(() => undefined);
  if (process.getuid?.() !== 0 || (await version) === undefined) return undefined;
  const lock = spawn('/usr/bin/flock', [`${directory}.lock`, 'sh', '-c', 'echo held; cat >/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  stage.defer(() => lock.kill());
  await once(lock.stdout, 'data');
  stage.defer(() => run(script, ['down', directory]));
  await run(script, ['up', directory]);
  return {
    sockets: [1, 2, 3].map((node) => join(directory, String(node), 'docker.sock')),
    storage: join(directory, 'storage'),
    registry: '10.99.0.254:5000',
    lose: (node) => run(script, ['lose', directory, String(node)]),
    start: (node) => run(script, ['start', directory, String(node)]),
  };
}
