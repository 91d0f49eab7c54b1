import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..', '..');

/** The wanted port if it is free, otherwise any free one. */
export async function freePort(wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', () => (wanted === 0 ? reject(new Error('No free port')) : resolve(freePort(0))));
    server.listen(wanted, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Starts the demo's own manager and waits until it is ready. */
export async function startManager(settings: Record<string, string>, url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: { ...process.env, LOG_LEVEL: 'warn', ...settings },
    stdio: ['ignore', 'inherit', 'inherit'],
    // Ctrl-C at a terminal reaches the whole group: it must not end the manager before the tenant is removed.
    detached: true,
  });
  process.once('exit', () => child.kill());
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`The manager ended with exit code ${code}`)));
  });
  ended.catch(() => undefined);
  await Promise.race([ended, waitUntilReady(url)]);
  return child;
}

/** Resolves when it has ended. */
export async function endManager(manager: ChildProcess): Promise<void> {
  if (manager.exitCode !== null || manager.signalCode !== null) return;
  const ended = new Promise((resolve) => manager.once('exit', resolve));
  manager.kill('SIGTERM');
  await ended;
}

async function waitUntilReady(url: string): Promise<void> {
  for (let tries = 0; tries < 150; tries += 1) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(200);
  }
  throw new Error('The manager did not become ready within 30 s');
}
