import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import { execa } from 'execa';
import { patienceMs } from '../patience.ts';
import { TokenRegistry } from '../servers/token-registry.ts';

export type NodeNumber = 1 | 2 | 3;

const script = join(import.meta.dirname, 'three-engines.sh');
/** Fixed, like the engines' addresses: the next run ends what a killed one left. */
const directory = join(tmpdir(), 'tenantry-three-engines');
const lockFile = `${directory}.lock`;
/** A suite waits for others that use the engines. */
const startWithinMs = 4 * patienceMs;

/**
 * Three Docker engines on this machine as the managers of one swarm, with a registry and a shared storage. At first they have no images:
 * those of Docker Hub come from a registry that asks for a token.
 */
export interface Cluster {
  /** The engines' addresses for DOCKER_HOST, first to last. */
  engines: [string, string, string];
  sockets: [string, string, string];
  registry: '10.99.0.254:5000';
  storage: string;
  /** The address of this machine, as the nodes reach it. */
  host: '10.99.0.254';
  addressOf(node: NodeNumber): string;
  /** The host is gone at one moment: engine, containers, mounts. */
  lose(node: NodeNumber): Promise<void>;
  /** Kills the engine alone: its containers go on running. */
  kill(node: NodeNumber): Promise<void>;
  start(node: NodeNumber): Promise<void>;
  cut(node: NodeNumber): Promise<void>;
  heal(node: NodeNumber): Promise<void>;
  /** Takes the storage from one host; running tasks keep it. */
  unmount(node: NodeNumber): Promise<void>;
  mount(node: NodeNumber): Promise<void>;
  /** Runs a program on a host, with its own /etc/docker. */
  run(node: NodeNumber, program: readonly string[]): Promise<void>;
  stopRegistry(): Promise<void>;
  startRegistry(): Promise<void>;
}

/** Why the engines can't run here; undefined if they can. */
function obstacle(): string | undefined {
  if (process.getuid?.() !== 0) return 'not root';
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
  for (const program of ['dockerd', 'docker-registry', 'nsenter', 'ip', 'iptables'])
    if (!directories.some((directory) => existsSync(join(directory, program)))) return `${program} is not installed`;
  return undefined;
}

/**
 * A suite with its own cluster; one suite at a time on a machine, as the addresses of the engines are fixed. Skipped with the
 * reason where they can't run; with CI=true that fails.
 */
export function describeWithSwarm(name: string, suite: (cluster: () => Cluster) => void): void {
  describe(name, () => {
    const reason = obstacle();
    if (reason !== undefined && process.env.CI !== 'true') {
      test.skip(`skipped: ${reason}`, () => undefined);
      return;
    }
    let lock: ChildProcess | undefined;
    let cluster: Cluster;
    let hub: TokenRegistry | undefined;
    const run = async (...args: string[]): Promise<void> => {
      await execa(script, [args[0] ?? '', directory, ...args.slice(1)], { stdin: 'ignore', timeout: patienceMs });
    };
    beforeAll(async () => {
      if (reason !== undefined) throw new Error(`Three engines can't run here: ${reason}`);
      lock = await holdLock();
      hub = await TokenRegistry.start();
      await hub.copy('node:24-bookworm-slim', 'library/node:24-bookworm-slim');
      await run('up', String(hub.port));
      cluster = clusterOf(run);
    }, startWithinMs);
    suite(() => cluster);
    afterAll(async () => {
      // Without the lock the engines are another suite's.
      if (!lock) return;
      await run('down');
      await hub?.close();
      lock.kill();
    });
  });
}

/** Waits for the lock; it is held until the process that asked for it ends, however it ends. */
async function holdLock(): Promise<ChildProcess> {
  const lock = spawn('/usr/bin/flock', [lockFile, 'sh', '-c', 'echo held; cat >/dev/null'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const waiting = setTimeout(
    () => process.stderr.write(`waiting until another suite ends that uses the Swarm engines (${lockFile})\n`),
    2_000,
  );
  const abort = new AbortController();
  lock.once('close', () => abort.abort(new Error(`${lockFile} could not be locked`)));
  await once(lock.stdout, 'data', { signal: abort.signal }).finally(() => clearTimeout(waiting));
  return lock;
}

function clusterOf(run: (...args: string[]) => Promise<void>): Cluster {
  const socketOf = (node: NodeNumber): string => join(directory, String(node), 'docker.sock');
  const sockets: Cluster['sockets'] = [socketOf(1), socketOf(2), socketOf(3)];
  const on = (verb: string) => (node: NodeNumber) => run(verb, String(node));
  return {
    sockets,
    engines: [`unix://${sockets[0]}`, `unix://${sockets[1]}`, `unix://${sockets[2]}`],
    registry: '10.99.0.254:5000',
    storage: join(directory, 'storage'),
    host: '10.99.0.254',
    addressOf: (node) => `10.99.0.${node}`,
    lose: on('lose'),
    kill: on('kill'),
    start: on('start'),
    cut: on('cut'),
    heal: on('heal'),
    unmount: on('unmount'),
    mount: on('mount'),
    run: (node, program) => run('run', String(node), ...program),
    stopRegistry: () => run('stop-registry'),
    startRegistry: () => run('start-registry'),
  };
}
