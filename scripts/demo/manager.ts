import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..', '..');
const keptLines = 20;
const newsEveryMs = 10_000;
/** pino's level. */
const warning = 40;

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

/**
 * Starts the demo's own manager and waits until it is ready, however long that takes, and says every ten seconds what it does.
 * @throws Error with its last lines when it ends
 */
export async function startManager(settings: Record<string, string>, url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: { ...process.env, ...settings, LOG_LEVEL: 'info' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Ctrl-C at a terminal reaches the whole group: it must not end the manager before the tenant is removed.
    detached: true,
  });
  process.once('exit', () => child.kill());
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      const { level, text } = readLine(line);
      lines.push(text);
      if (lines.length > keptLines) lines.shift();
      if (level >= warning) console.error(text);
    });
  const started = performance.now();
  const news = setInterval(() => {
    const seconds = Math.round((performance.now() - started) / 1_000);
    console.log(`Still starting after ${seconds} s: ${lines.at(-1) ?? 'the manager is being loaded'}`);
  }, newsEveryMs);
  const ready = new AbortController();
  const ended = new Promise<never>((_resolve, reject) => {
    child.once('close', (code, signal) =>
      reject(new Error([`The manager ended (${signal ?? `exit code ${code}`}). Its last lines:`, ...lines].join('\n'))),
    );
  });
  ended.catch(() => undefined);
  try {
    await Promise.race([ended, untilReady(url, ready.signal)]);
    return child;
  } finally {
    ready.abort();
    clearInterval(news);
  }
}

/** A line of the manager's log: its level as a number (Node's own output counts as a warning), and its words. */
function readLine(line: string): { level: number; text: string } {
  try {
    const { level, msg } = JSON.parse(line) as { level: unknown; msg: unknown };
    if (typeof level === 'number' && typeof msg === 'string') return { level, text: msg };
  } catch {
    // Not of the log.
  }
  return { level: warning, text: line };
}

/** Resolves when it has ended. */
export async function endManager(manager: ChildProcess): Promise<void> {
  if (manager.exitCode !== null || manager.signalCode !== null) return;
  const ended = new Promise((resolve) => manager.once('exit', resolve));
  manager.kill('SIGTERM');
  await ended;
}

async function untilReady(url: string, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return;
    await sleep(200);
  }
}
