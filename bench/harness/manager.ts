import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ManagerClient } from '../../scripts/demo/client.ts';
import { freePort } from '../../scripts/demo/manager.ts';
import { run, type Stage } from './harness.ts';

const root = join(import.meta.dirname, '..', '..');
export const adminPassword = 'violet horse ladder marmalade 9';
const startsWithinMs = 60_000;

/** A server in its own process. */
export interface Server {
  url: string;
  pid: number;
  /** Milliseconds from the spawn to the first 200 at /readyz. */
  readyAfterMs: number;
  stop(): Promise<void>;
}

export interface Manager extends Server {
  client: ManagerClient;
  dataDirectory: string;
}

/** Starts `node <parameters>` with PORT and the environment of `npm start`, waits for 200 from /readyz, and stops it at the end. */
export async function startServer(
  stage: Stage,
  parameters: readonly string[],
  environment: Record<string, string>,
): Promise<Server> {
  const port = await freePort(0);
  const url = `http://127.0.0.1:${port}`;
  const began = performance.now();
  const asStarted = ['-c', '. scripts/manager-environment.sh; exec "$0" "$@"', process.execPath, ...parameters];
  const child = spawn('sh', asStarted, {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS,
      DASHBOARD_PORT: '0',
      ...environment,
      PORT: String(port),
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  stage.defer(stop);
  await untilReady(url, child);
  return { url, pid: child.pid ?? 0, readyAfterMs: performance.now() - began, stop };
}

async function untilReady(url: string, child: ChildProcess): Promise<void> {
  const deadline = performance.now() + startsWithinMs;
  while (performance.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`The server exited with code ${child.exitCode}`);
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.ok) return;
    await sleep(5);
  }
  throw new Error(`The server was not ready within ${startsWithinMs / 1000} s`);
}

/** Starts the real manager, as `npm start` does, without its log. */
export async function startManager(
  stage: Stage,
  dataDirectory: string,
  environment: Record<string, string> = {},
): Promise<Manager> {
  const server = await startServer(stage, ['src/main.ts'], {
    DATA_DIR: dataDirectory,
    RUNTIME: 'process',
    ADMIN_PASSWORD: adminPassword,
    ALLOW_LOCAL_REPOSITORIES: 'true',
    ...environment,
  });
  return { ...server, dataDirectory, client: new ManagerClient(server.url) };
}

/** Resident memory of a process in MiB. */
export async function residentMb(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? (await run('ps', ['-o', 'rss=', '-p', String(pid)]));
  return Number(kilobytes) / 1024;
}
