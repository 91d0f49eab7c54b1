import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copySqliteTemplate } from '../data/store-template.ts';
import { until } from '../data/tenants.ts';
import { patienceMs } from '../patience.ts';
import { freePort, portPool } from '../servers/ports.ts';
import type { Answer } from './app.ts';
import { adminPassword } from './app.ts';
import { isStopped, watchdogOf } from './process-state.ts';

const root = join(import.meta.dirname, '..', '..', '..');
const keepCompiled = join(import.meta.dirname, 'keep-compiled.mjs');

/** The manager in a separate process, to be killed and started again on the same data. */
export interface ManagerProcess {
  url: string;
  directory: string;
  token: string;
  call<T = Record<string, unknown>>(method: string, path: string, options?: { body?: unknown }): Promise<Answer<T>>;
  /** Starts it and signs in. */
  start(): Promise<void>;
  /** Starts it and waits for its first answer, as a standby too. */
  launch(): Promise<void>;
  signIn(): Promise<void>;
  /** kill -9. */
  kill(): Promise<void>;
  /** SIGTERM, and its exit code. */
  stop(): Promise<number | null>;
  /** SIGSTOP, of its watchdog as well, as in a paused container. */
  suspend(): Promise<void>;
  /** SIGSTOP of the manager alone. */
  hang(): void;
  /** SIGCONT; its watchdog goes on only after its end. */
  resume(): void;
  /** Its exit code, once it ends; null after a signal. */
  ended(): Promise<number | null>;
  /** Removes its directory. */
  remove(): Promise<void>;
  output(): string;
}

export type MakeManager = (environment?: Record<string, string>) => Promise<ManagerProcess>;

/** @param shared its directory, where another manager uses it too */
export async function makeManagerProcess(
  environment: Record<string, string> = {},
  shared?: string,
): Promise<ManagerProcess> {
  const directory = shared ?? (await mkdtemp(join(tmpdir(), 'tenantry-manager-')));
  const store = join(directory, 'data', 'tenantry.db');
  if (!environment.DATABASE_URL && !existsSync(store)) await copySqliteTemplate(store);
  const port = await freePort();
  let child: ChildProcess | undefined;
  let output = '';

  async function end(signal: NodeJS.Signals): Promise<number | null> {
    const running = child;
    child = undefined;
    if (!running || running.exitCode !== null || running.signalCode !== null) return running?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => running.once('exit', resolve));
    running.kill(signal);
    return ended;
  }

  const manager: ManagerProcess = {
    url: `http://127.0.0.1:${port}`,
    directory,
    token: '',
    async call<T>(method: string, path: string, { body }: { body?: unknown } = {}) {
      const response = await fetch(manager.url + path, {
        method,
        headers: {
          ...(manager.token ? { authorization: `Bearer ${manager.token}` } : {}),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, body: (await response.json()) as T };
    },
    async start() {
      await manager.launch();
      await manager.signIn();
    },
    async launch() {
      child = spawn(process.execPath, ['--import', keepCompiled, 'src/main.ts'], {
        cwd: root,
        env: {
          PATH: process.env.PATH ?? '',
          HOME: process.env.HOME ?? '',
          // npm needs it behind a proxy that ends TLS; without it, each install retries for minutes and uses its cache.
          ...(process.env.NODE_EXTRA_CA_CERTS ? { NODE_EXTRA_CA_CERTS: process.env.NODE_EXTRA_CA_CERTS } : {}),
          HOST: '127.0.0.1',
          PORT: String(port),
          DASHBOARD_PORT: '0',
          DATA_DIR: join(directory, 'data'),
          ADMIN_PASSWORD: adminPassword,
          ALLOW_LOCAL_REPOSITORIES: 'true',
          RUNTIME: 'process',
          LOG_LEVEL: 'warn',
          // A third of its processor time at startup is compilation, which is the same each time.
          NODE_COMPILE_CACHE: join(tmpdir(), 'tenantry-tests-compiled'),
          ...portPool(),
          ...environment,
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
      const started = child;
      const startedAt = performance.now();
      while (!(await fetch(`${manager.url}/healthz`).catch(() => undefined))?.ok) {
        if (started.exitCode !== null) throw new Error(`The manager ended with ${started.exitCode}: ${output}`);
        if (performance.now() - startedAt > patienceMs) throw new Error(`The manager did not start: ${output}`);
        await sleep(20);
      }
    },
    async signIn() {
      manager.token = '';
      const login = await manager.call<{ access_token: string }>('POST', '/api/auth/login', {
        body: { username: 'admin', password: adminPassword },
      });
      manager.token = login.body.access_token;
    },
    async kill() {
      await end('SIGKILL');
    },
    stop: () => end('SIGTERM'),
    async suspend() {
      const watchdog = child?.pid === undefined ? undefined : watchdogOf(child.pid);
      if (watchdog !== undefined) {
        process.kill(watchdog, 'SIGSTOP');
        await until(async () => isStopped(watchdog), Boolean);
        child?.once('exit', () => process.kill(watchdog, 'SIGCONT'));
      }
      child?.kill('SIGSTOP');
    },
    hang: () => void child?.kill('SIGSTOP'),
    resume: () => void child?.kill('SIGCONT'),
    async ended() {
      const running = child;
      if (!running || running.exitCode !== null || running.signalCode !== null) return running?.exitCode ?? null;
      return new Promise((resolve) => running.once('exit', resolve));
    },
    async remove() {
      await end('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    },
    output: () => output,
  };
  return manager;
}
